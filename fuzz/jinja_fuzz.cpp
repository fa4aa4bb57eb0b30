// A template and a conversation, both from outside: "TEMPLATE\0JSON". Neither may crash, hang or leak, the
// spans must be in order, and what the conversation says must not be owned.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "jinja/json.h"
#include "jinja/template.h"

namespace {

using namespace kelda::jinja;

// A character for private use that the conversation holds; a template that can write it itself is let be.
constexpr std::string_view kMarker = "\xEE\x80\x80";

bool can_write_marker(std::string_view source) {
  for (const char* sign : {"\xEE\x80\x80", "000", "57", "xe", "xE", "\\", "%c", "c}", "|int"}) {
    if (source.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

Value conversation(std::string_view json) {
  Dict globals;
  try {
    Value parsed = parse_json(json, Provenance::kInput);
    const std::string again = dump_json(parsed);
    if (again.find("Infinity") == std::string::npos) {
      KELDA_CHECK(dump_json(parse_json(again, Provenance::kInput)) == again);
    }
    if (parsed.is_dict()) return parsed;
    globals.set("messages", parsed);
  } catch (const kelda::Error&) {
    globals.set("s", Value::string(std::string(json), Provenance::kInput));
  }
  return Value::dict(std::move(globals));
}

void check_spans(const Rendered& r, bool marker_is_input) {
  std::size_t last = 0;
  for (const kelda::ByteSpan& span : r.owned) {
    KELDA_CHECK(span.begin < span.end && span.end <= r.text.size());
    KELDA_CHECK(last == 0 || span.begin > last);
    last = span.end;
    if (!marker_is_input) continue;
    const auto owned = std::string_view(r.text).substr(span.begin, span.end - span.begin);
    KELDA_CHECK(owned.find(kMarker) == std::string_view::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = all.find('\0');
  const std::string_view source = all.substr(0, end);
  const std::string_view json = end == std::string_view::npos ? std::string_view("{}") : all.substr(end + 1);
  Environment environment;
  environment.limits.steps = 50'000;
  environment.limits.value_bytes = 4 << 20;
  environment.limits.output_bytes = 1 << 20;
  const Value globals = conversation(json);
  try {
    const Template chat{std::string(source)};
    check_spans(chat.render(globals, environment), !can_write_marker(source));
  } catch (const kelda::Error&) {
    // Refused with a message: what hostile input should meet.
  }
  return 0;
}
