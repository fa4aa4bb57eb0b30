#include "config/knob_json.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/quote.h"

namespace kelda {
namespace {

using nlohmann::json;

// Watches a parse for what the parser itself lets through.
class Watch {
 public:
  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    switch (event) {
      case json::parse_event_t::object_start:
        open_.emplace_back();
        [[fallthrough]];
      case json::parse_event_t::array_start:
        if (depth >= kMaxJsonDepth)
          fail(ErrorCode::kUsage, "JSON is nested deeper than {} levels", kMaxJsonDepth);
        break;
      case json::parse_event_t::key:
        field_ = parsed.get<std::string>();
        if (!open_.back().insert(field_).second)
          fail(ErrorCode::kUsage, "field {} is given twice", quote(field_));
        break;
      case json::parse_event_t::object_end:
        open_.pop_back();
        break;
      default:
        break;
    }
    return true;
  }
  const std::string& field() const { return field_; }

 private:
  std::vector<std::set<std::string>> open_;  // keys seen in each object that is not closed yet
  std::string field_;
};

std::string shown(const json& value) {
  switch (value.type()) {
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "an array";
    case json::value_t::string:
      return fmt::format("the string {}", quote(value.get_ref<const std::string&>()));
    case json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    case json::value_t::null:
      return "null";
    default:
      return value.dump();
  }
}

// JSON has one kind of number: 5.0 is the integer 5. Nothing where it has a fraction or does not fit.
std::optional<int64_t> as_integer(const json& value) {
  if (value.is_number_unsigned()) {
    const auto x = value.get<uint64_t>();
    if (x > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
    return static_cast<int64_t>(x);
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const auto x = value.get<double>();
  if (!(std::abs(x) < 0x1.0p53) || x != std::trunc(x)) return std::nullopt;
  return static_cast<int64_t>(x);
}

KnobValue to_integer(const Knob& knob, const json& value) {
  if (knob.type == KnobType::kSeed && value.is_number_unsigned()) return Seed{value.get<uint64_t>()};
  const auto x = as_integer(value);
  if (!x) fail_knob(knob, shown(value));
  return *x;
}

const std::string& to_text(const Knob& knob, const json& value) {
  if (!value.is_string()) fail_knob(knob, shown(value));
  return value.get_ref<const std::string&>();
}

std::vector<std::string> to_texts(const Knob& knob, const json& value) {
  if (value.is_string()) return {to_text(knob, value)};
  if (!value.is_array()) fail_knob(knob, shown(value));
  if (value.size() > knob.max_items) fail_knob(knob, fmt::format("{} texts", value.size()));
  std::vector<std::string> out;
  for (const json& item : value) {
    if (!item.is_string()) fail_knob(knob, fmt::format("{} in the list", shown(item)));
    out.push_back(item.get_ref<const std::string&>());
  }
  return out;
}

void add_bias(const Knob& knob, const json& id, const json& bias, TokenBias& out) {
  const auto token = as_integer(id);
  if (!token || *token < 0 || *token > std::numeric_limits<int32_t>::max()) {
    fail_knob(knob, fmt::format("the id {}", shown(id)));
  }
  if (!bias.is_number()) fail_knob(knob, fmt::format("{} as the bias for id {}", shown(bias), *token));
  if (!out.emplace(static_cast<int32_t>(*token), bias.get<double>()).second) {
    fail_knob(knob, fmt::format("the id {} twice", *token));
  }
}

json id_of_key(const Knob& knob, const std::string& key) {
  int64_t id = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
  if (error != std::errc() || end != key.data() + key.size())
    fail_knob(knob, fmt::format("the id {}", quote(key)));
  return id;
}

TokenBias to_biases(const Knob& knob, const json& value) {
  if (!value.is_object() && !value.is_array()) fail_knob(knob, shown(value));
  if (value.size() > knob.max_items) fail_knob(knob, fmt::format("{} entries", value.size()));
  TokenBias out;
  if (value.is_object()) {
    for (const auto& item : value.items()) add_bias(knob, id_of_key(knob, item.key()), item.value(), out);
  } else {
    for (const json& pair : value) {
      if (!pair.is_array() || pair.size() != 2)
        fail_knob(knob, fmt::format("{} that is not [id, bias]", shown(pair)));
      add_bias(knob, pair[0], pair[1], out);
    }
  }
  return out;
}

KnobValue to_value(const Knob& knob, const json& value) {
  switch (knob.type) {
    case KnobType::kFloat:
      if (!value.is_number()) break;
      return value.get<double>();
    case KnobType::kInt:
    case KnobType::kSeed:
      return to_integer(knob, value);
    case KnobType::kBool:
      if (!value.is_boolean()) break;
      return value.get<bool>();
    case KnobType::kText:
      return to_text(knob, value);
    case KnobType::kTextList:
      return to_texts(knob, value);
    case KnobType::kTokenBias:
      return to_biases(knob, value);
  }
  fail_knob(knob, shown(value));
}

}  // namespace

json parse_json_object(std::string_view text) {
  Watch watch;
  json parsed;
  try {
    parsed = json::parse(text.begin(), text.end(), std::ref(watch));
  } catch (const json::parse_error& e) {
    const std::string near =
        watch.field().empty() ? "" : fmt::format(", after the field {}", quote(watch.field()));
    fail(ErrorCode::kUsage, "not valid JSON at byte {}{}", e.byte, near);
  } catch (const json::out_of_range&) {
    fail(ErrorCode::kUsage, "field {} holds a number beyond the range of a 64-bit float",
         quote(watch.field()));
  }
  if (!parsed.is_object()) fail(ErrorCode::kUsage, "must be a JSON object; got {}", shown(parsed));
  return parsed;
}

void set_from_json_value(Knobs& knobs, std::string_view name, const json& value, std::string_view source) {
  const Knob& knob = knobs.find(name);
  if (value.is_null()) return;
  knobs.set(name, to_value(knob, value), source);
}

void Knobs::set_from_json(std::string_view json_object, std::string_view source) {
  const json object = parse_json_object(json_object);
  Knobs changed = *this;  // all fields or none
  for (const auto& item : object.items()) set_from_json_value(changed, item.key(), item.value(), source);
  *this = std::move(changed);
}

}  // namespace kelda
