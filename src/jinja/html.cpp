#include "jinja/html.h"

#include "jinja/repr.h"
#include "jinja/runtime.h"

namespace kelda::jinja {

Text escape_html(Runtime& rt, const Text& text) {
  const std::string& all = text.bytes();
  Text out;
  std::size_t plain = 0;
  rt.budget().walk(all.size());
  for (std::size_t at = 0; at < all.size(); ++at) {
    const char* escape = nullptr;
    switch (all[at]) {
      case '&':
        escape = "&amp;";
        break;
      case '<':
        escape = "&lt;";
        break;
      case '>':
        escape = "&gt;";
        break;
      case '"':
        escape = "&#34;";
        break;
      case '\'':
        escape = "&#39;";
        break;
      default:
        continue;
    }
    rt.budget().want(2 * out.size());
    out.append(text, plain, at);
    out.append(escape, text.provenance(at, at + 1));
    plain = at + 1;
  }
  out.append(text, plain, all.size());
  return out;
}

Text escaped_text(Runtime& rt, const Value& v) {
  return v.is_markup() ? to_text(rt, v) : escape_html(rt, to_text(rt, v));
}

}  // namespace kelda::jinja
