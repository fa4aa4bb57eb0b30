#include "jinja/attribute_path.h"

#include <algorithm>
#include <charconv>

#include "jinja/access.h"
#include "jinja/errors.h"
#include "jinja/runtime.h"
#include "jinja/text_case.h"

namespace kelda::jinja {

std::vector<Value> path_parts(Runtime& rt, const Value& attribute) {
  std::vector<Value> parts;
  if (attribute.is_missing() || attribute.is_none()) return parts;
  if (!attribute.is_string()) return {attribute};
  const std::string_view all = attribute.str();
  rt.budget().touch(all.size());
  for (std::size_t at = 0;;) {
    rt.budget().step();
    rt.budget().want(2 * parts.size() * sizeof(Value));
    const std::size_t dot = std::min(all.find('.', at), all.size());
    const std::string_view part = all.substr(at, dot - at);
    int64_t index = 0;
    const bool digits = !part.empty() && part.size() < 19 &&
                        std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits) {
      std::from_chars(part.data(), part.data() + part.size(), index);
      parts.push_back(Value::integer(index));
    } else {
      parts.push_back(rt.text(attribute.as_text().slice(at, dot)));
    }
    if (dot == all.size()) return parts;
    at = dot + 1;
  }
}

Value follow(Runtime& rt, Value v, const std::vector<Value>& parts, const Value* otherwise) {
  for (const Value& part : parts) {
    rt.budget().step();
    v = get_item(rt, v, part);
    if (otherwise && !otherwise->is_none() && v.is_undefined()) v = *otherwise;
  }
  return v;
}

Value without_case(Runtime& rt, const Value& v) {
  return v.is_string() ? rt.text(map_case(rt, v.as_text(), Case::kLower)) : v;
}

}  // namespace kelda::jinja
