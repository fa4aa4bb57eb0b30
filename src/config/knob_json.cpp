#include "config/knob_json.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <type_traits>
#include <variant>

#include "base/cpu.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "base/quote.h"

namespace kelda {
namespace {

using nlohmann::json;

bool is_zero(std::string_view literal) {
  return literal.substr(0, literal.find_first_of("eE")).find_first_of("123456789") == std::string_view::npos;
}

// Builds the value and stops at what the parser itself lets through.
class Builder final : public nlohmann::json_sax<json> {
 public:
  bool null() override { return add(nullptr); }
  bool boolean(bool x) override { return add(x); }
  bool number_integer(json::number_integer_t x) override { return add(x); }
  bool number_unsigned(json::number_unsigned_t x) override { return add(x); }
  bool number_float(json::number_float_t x, const json::string_t& literal) override {
    if (x == 0 && !is_zero(literal))
      fail(ErrorCode::kUsage, "field {} holds a number too small for a 64-bit float", quote(field_));
    return add(x);
  }
  bool string(json::string_t& x) override { return add(std::move(x)); }
  bool binary(json::binary_t&) override { return false; }  // text has none

  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(json::string_t& name) override {
    field_ = name;
    json& object = *open_.back();
    if (object.contains(name)) fail(ErrorCode::kUsage, "field {} is given twice", quote(field_));
    member_ = &object[name];
    return true;
  }

  bool parse_error(std::size_t byte, const std::string&, const json::exception& e) override {
    if (dynamic_cast<const json::out_of_range*>(&e) != nullptr)
      fail(ErrorCode::kUsage, "field {} holds a number beyond the range of a 64-bit float", quote(field_));
    const std::string near = field_.empty() ? "" : fmt::format(", after the field {}", quote(field_));
    fail(ErrorCode::kUsage, "not valid JSON at byte {}{}", byte, near);
  }

  json take() { return std::move(root_); }

 private:
  json* place(json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    if (open_.back()->is_array()) return &open_.back()->emplace_back(std::move(value));
    return &(*member_ = std::move(value));
  }
  bool add(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json container) {
    if (open_.size() >= kMaxJsonDepth)
      fail(ErrorCode::kUsage, "JSON is nested deeper than {} levels", kMaxJsonDepth);
    open_.push_back(place(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  json root_;
  std::vector<json*>
      open_;                // from the root to where values go; only the last one grows, so all stay in place
  json* member_ = nullptr;  // of the last key, in the object that is open
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
  const auto id = parse_number<int64_t>(key);
  if (!id) fail_knob(knob, fmt::format("the id {}", quote(key)));
  return *id;
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

TokenIds to_ids(const Knob& knob, const json& value) {
  const json list = value.is_array() ? value : json::array({value});
  if (list.size() > knob.max_items) fail_knob(knob, fmt::format("{} ids", list.size()));
  TokenIds out;
  for (const json& item : list) {
    const auto id = as_integer(item);
    if (!id || *id < 0 || *id > std::numeric_limits<int32_t>::max())
      fail_knob(knob, value.is_array() ? fmt::format("{} in the list", shown(item)) : shown(item));
    out.push_back(static_cast<int32_t>(*id));
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
    case KnobType::kTokenIds:
      return to_ids(knob, value);
  }
  fail_knob(knob, shown(value));
}

json value_json(const KnobValue& value) {
  return std::visit(
      [](const auto& v) -> json {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::is_same_v<T, Seed>) {
          return v.value ? json(*v.value) : json();
        } else if constexpr (std::is_same_v<T, TokenBias>) {
          json biases = json::object();
          for (const auto& [id, bias] : v) biases[std::to_string(id)] = bias;
          return biases;
        } else {
          return v;
        }
      },
      value);
}

}  // namespace

json settings_json(const Knobs& knobs) {
  json settings = json::object();
  for (const Knob* k : knobs.known())
    settings[std::string(k->name)] = {{"value", value_json(knobs.value_of(k->name))},
                                      {"from", std::string(knobs.source(k->name))}};
  return settings;
}

json parse_json_object(std::string_view text) {
  const FloatEnvironment rounding;
  Builder builder;
  json::sax_parse(text.begin(), text.end(), &builder);
  json parsed = builder.take();
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
