// Filters about HTML and URLs.
#include <cctype>

#include "jinja/access.h"
#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/html.h"
#include "jinja/iterate.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"
#include "jinja/search.h"
#include "jinja/text_ops.h"
#include "jinja/unicode.h"

namespace kelda::jinja {
namespace {

Value escape(Runtime& rt, const Value& self, Bound&) { return rt.text(escaped_text(rt, self), true); }
Value force_escape(Runtime& rt, const Value& self, Bound&) {
  return rt.text(escape_html(rt, to_text(rt, self)), true);
}
Value safe(Runtime& rt, const Value& self, Bound&) { return rt.text(to_text(rt, self), true); }

// Removes comments and tags, joins what is left by single blanks, and turns the five entities back.
Value strip_tags(Runtime& rt, const Value& self, Bound&) {
  const Text text = to_text(rt, self);
  Text plain;
  std::size_t at = 0;
  const auto cut = [&](const Text& from, const char* open, const char* close) {
    plain = Text();
    at = 0;
    const std::string_view all = from.bytes();
    rt.budget().touch(all.size());
    for (;;) {
      const std::size_t begin = find_text(all, open, at);
      const std::size_t end = begin == std::string_view::npos ? begin : find_text(all, close, begin);
      if (end == std::string_view::npos) break;
      plain.append(from, at, begin);
      at = end + std::string_view(close).size();
    }
    plain.append(from, at, all.size());
  };
  cut(text, "<!--", "-->");
  const Text no_comments = plain;
  cut(no_comments, "<", ">");
  const Text space(" ", text.provenance());  // stands for the white space of the text
  TextJoiner words(rt, space);
  for (const Value& word : split_white(rt, plain, -1, false)) words.add(word.as_text());
  Text out = words.take();
  static constexpr std::pair<const char*, const char*> kEntities[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&#34;", "\""}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}};
  for (const auto& [entity, character] : kEntities) {
    out = replace(rt, out, Text(entity, Provenance::kInput), Text(character, Provenance::kInput), -1);
  }
  return rt.text(std::move(out));
}

Text quoted_url(Runtime& rt, const Text& text, bool query) {
  rt.budget().walk(16 * text.size());
  rt.budget().want(6 * text.size());
  Text out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text.bytes()[i];
    const auto byte = static_cast<unsigned char>(c);
    const Provenance p = text.provenance(i, i + 1);
    if (byte < 0x80 && (std::isalnum(byte) != 0 ||
                        std::string_view("_.-~").find(c) != std::string_view::npos || (c == '/' && !query))) {
      out.append(std::string_view(&c, 1), p);
    } else if (c == ' ' && query) {
      out.append("+", p);
    } else {
      out.append(fmt::format("%{:02X}", byte), p);
    }
  }
  return out;
}

Value url_encode(Runtime& rt, const Value& self, Bound&) {
  if (self.is_string() || !is_iterable(self)) return rt.text(quoted_url(rt, to_text(rt, self), false));
  const Text separator("&", Provenance::kOwned);
  TextJoiner pairs(rt, separator);
  const auto add = [&](const Value& key, const Value& value) {
    Text pair = quoted_url(rt, to_text(rt, key), true);
    pair.append("=", Provenance::kOwned);
    pair.append(quoted_url(rt, to_text(rt, value), true));
    pairs.add(pair);
  };
  if (self.is_dict()) {
    for (const auto& [key, value] : self.as_dict().items()) add(key, value);
  } else {
    for_each(rt, self, [&](const Value& pair) {
      const std::vector<Value> parts = collect(rt, pair);
      if (parts.size() < 2)
        raise(Raised::kValue, "not enough values to unpack (expected 2, got {})", parts.size());
      if (parts.size() > 2) raise(Raised::kValue, "too many values to unpack (expected 2)");
      add(parts[0], parts[1]);
      return true;
    });
  }
  return rt.text(pairs.take());
}

Value xml_attributes(Runtime& rt, const Value& self, Bound& args) {
  if (self.is_undefined()) raise(Raised::kUndefined, "{}", self.undefined_message());
  if (!self.is_dict()) raise(Raised::kOther, "'{}' object has no attribute 'items'", type_name(self));
  const Text space(" ", Provenance::kOwned);
  TextJoiner all(rt, space);
  bool any = false;
  for (const auto& [key, value] : self.as_dict().items()) {
    if (value.is_none() || value.is_undefined()) continue;
    if (!key.is_string())
      raise(Raised::kType, "expected string or bytes-like object, got '{}'", type_name(key));
    if (key.str().find_first_of(" \t\n\r\f\v/>=") != std::string_view::npos) {
      raise(Raised::kValue, "Invalid character in attribute name: {}", quote_python(key.str()));
    }
    Text attribute = escaped_text(rt, key);
    attribute.append("=\"", Provenance::kOwned);
    attribute.append(escaped_text(rt, value));
    attribute.append("\"", Provenance::kOwned);
    all.add(attribute);
    any = true;
  }
  Text out;
  if (any && args.truthy(rt, 0, true)) out.append(" ", Provenance::kOwned);
  out.append(all.take());
  return rt.text(std::move(out));
}

}  // namespace

Table html_filters() {
  static const Row rows[] = {
      {"escape", escape, {}},
      {"e", escape, {}},
      {"forceescape", force_escape, {}},
      {"safe", safe, {}},
      {"striptags", strip_tags, {}},
      {"urlencode", url_encode, {}},
      {"xmlattr", xml_attributes, {{"autospace"}}},
  };
  return rows;
}

}  // namespace kelda::jinja
