#include "apps/kelda/html.h"

#include "base/quote.h"

namespace kelda::cli {

std::string html(std::string_view text) {
  std::string out;
  for (const char c : escape_controls(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace kelda::cli
