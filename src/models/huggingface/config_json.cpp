#include "models/huggingface/config_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/quote.h"

namespace kelda::models {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxDepth = 16;

json parse_text(std::string_view text) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > static_cast<int>(kMaxDepth)) fail(ErrorCode::kBadInput, "nested deeper than {}", kMaxDepth);
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      fail(ErrorCode::kBadInput, "key {} appears twice", quote(parsed.get<std::string>()));
    return true;
  };
  try {
    return json::parse(text, watch);
  } catch (const json::exception& e) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: …"
    const std::string_view what = e.what();
    const std::size_t at = what.find("] ");
    fail(ErrorCode::kBadInput, "is not JSON: {}",
         what.substr(at == std::string_view::npos ? 0 : at + std::string_view("] ").size()));
  }
}

// A value as it stands in the file, for a message: in quotes where it is a text.
std::string shown(const json& value) {
  constexpr std::size_t kBytes = 80;
  if (value.is_string()) return quote(value.get_ref<const std::string&>(), kBytes);
  const std::string text = value.dump(-1, ' ', true);  // ASCII: it can be cut anywhere
  return text.size() <= kBytes ? text : text.substr(0, kBytes) + "…";
}

[[noreturn]] void wrong_type(const std::string& key, const json& value, std::string_view wanted) {
  fail(ErrorCode::kBadInput, "{} is {}; it must be {}", key, shown(value), wanted);
}

int64_t whole(const std::string& key, const json& value, int64_t lo, int64_t hi) {
  if (!value.is_number_integer()) wrong_type(key, value, "a whole number");
  if (value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
    fail(ErrorCode::kBadInput, "{} is {}; allowed are {} to {}", key, value.dump(), lo, hi);
  const auto n = value.get<int64_t>();
  if (n < lo || n > hi) fail(ErrorCode::kBadInput, "{} is {}; allowed are {} to {}", key, n, lo, hi);
  return n;
}

double real(const std::string& key, const json& value, double lo, double hi) {
  if (!value.is_number()) wrong_type(key, value, "a number");
  const auto x = value.get<double>();
  if (!(x >= lo && x <= hi)) fail(ErrorCode::kBadInput, "{} is {}; allowed are {} to {}", key, x, lo, hi);
  return x;
}

}  // namespace

ConfigJson ConfigJson::parse(std::string_view text) {
  json root = parse_text(text);
  if (!root.is_object()) fail(ErrorCode::kBadInput, "is not a JSON object, but {}", root.type_name());
  return {std::make_shared<const json>(std::move(root)), ""};
}

std::vector<ConfigJson> ConfigJson::parse_list(std::string_view text) {
  const auto root = std::make_shared<const json>(parse_text(text));
  if (!root->is_array()) fail(ErrorCode::kBadInput, "is not a JSON list, but {}", root->type_name());
  std::vector<ConfigJson> out;
  for (const json& item : *root) {
    if (!item.is_object()) wrong_type(fmt::format("[{}]", out.size()), item, "an object");
    out.push_back(ConfigJson(std::shared_ptr<const json>(root, &item), fmt::format("[{}].", out.size())));
  }
  return out;
}

const json* ConfigJson::find(std::string_view key) {
  mark(key);
  const auto at = object_->find(key);
  return at == object_->end() || at->is_null() ? nullptr : &*at;
}

bool ConfigJson::has(std::string_view key) const {
  const auto at = object_->find(key);
  return at != object_->end() && !at->is_null();
}

bool ConfigJson::is_null(std::string_view key) const {
  const auto at = object_->find(key);
  return at != object_->end() && at->is_null();
}

int64_t ConfigJson::integer(std::string_view key, int64_t lo, int64_t hi) {
  const json* value = find(key);
  if (value == nullptr) fail(ErrorCode::kBadInput, "{} is missing", full(key));
  return whole(full(key), *value, lo, hi);
}

int64_t ConfigJson::integer(std::string_view key, int64_t lo, int64_t hi, int64_t otherwise) {
  const json* value = find(key);
  return value == nullptr ? otherwise : whole(full(key), *value, lo, hi);
}

std::optional<int64_t> ConfigJson::integer_under(std::initializer_list<std::string_view> keys, int64_t lo,
                                                 int64_t hi) {
  std::optional<std::pair<std::string_view, int64_t>> first;
  for (const std::string_view key : keys) {
    if (!has(key)) continue;
    const int64_t value = integer(key, lo, hi);
    if (!first) first.emplace(key, value);
    if (value != first->second) {
      fail(ErrorCode::kBadInput, "{} is {} and {} is {}: they must be the same", full(first->first),
           first->second, full(key), value);
    }
  }
  return first ? std::optional(first->second) : std::nullopt;
}

double ConfigJson::number(std::string_view key, double lo, double hi) {
  const json* value = find(key);
  if (value == nullptr) fail(ErrorCode::kBadInput, "{} is missing", full(key));
  return real(full(key), *value, lo, hi);
}

double ConfigJson::number(std::string_view key, double lo, double hi, double otherwise) {
  const json* value = find(key);
  return value == nullptr ? otherwise : real(full(key), *value, lo, hi);
}

bool ConfigJson::boolean(std::string_view key, bool otherwise) {
  const json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) wrong_type(full(key), *value, "true or false");
  return value->get<bool>();
}

std::string ConfigJson::text(std::string_view key, std::string_view otherwise) {
  const json* value = find(key);
  if (value == nullptr) return std::string(otherwise);
  if (!value->is_string()) wrong_type(full(key), *value, "a string");
  return value->get<std::string>();
}

std::vector<std::string> ConfigJson::texts(std::string_view key) {
  const json* value = find(key);
  std::vector<std::string> out;
  if (value == nullptr) return out;
  if (!value->is_array()) wrong_type(full(key), *value, "a list of strings");
  for (const json& item : *value) {
    if (!item.is_string()) wrong_type(full(key), *value, "a list of strings");
    out.push_back(item.get<std::string>());
  }
  return out;
}

std::vector<double> ConfigJson::numbers(std::string_view key, double lo, double hi) {
  const json* value = find(key);
  std::vector<double> out;
  if (value == nullptr) return out;
  if (!value->is_array()) wrong_type(full(key), *value, "a list of numbers");
  for (const json& item : *value) out.push_back(real(full(key), item, lo, hi));
  return out;
}

std::vector<int64_t> ConfigJson::integers(std::string_view key, int64_t lo, int64_t hi) {
  const json* value = find(key);
  if (value == nullptr) return {};
  if (!value->is_array()) return {whole(full(key), *value, lo, hi)};
  std::vector<int64_t> out;
  for (const json& item : *value) out.push_back(whole(full(key), item, lo, hi));
  return out;
}

std::optional<ConfigJson> ConfigJson::object(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) wrong_type(full(key), *value, "an object");
  return ConfigJson(std::shared_ptr<const json>(object_, value), full(key) + ".");
}

std::vector<ConfigJson> ConfigJson::objects(std::string_view key) {
  const json* value = find(key);
  std::vector<ConfigJson> out;
  if (value == nullptr) return out;
  if (!value->is_array()) wrong_type(full(key), *value, "a list of objects");
  for (const json& item : *value) {
    if (!item.is_object()) wrong_type(full(key), *value, "a list of objects");
    out.push_back(ConfigJson(std::shared_ptr<const json>(object_, &item),
                             fmt::format("{}[{}].", full(key), out.size())));
  }
  return out;
}

bool ConfigJson::is_object(std::string_view key) const {
  const auto at = object_->find(key);
  return at != object_->end() && at->is_object();
}

bool ConfigJson::is_list(std::string_view key) const {
  const auto at = object_->find(key);
  return at != object_->end() && at->is_array();
}

void ConfigJson::only(std::string_view key, bool value) {
  if (boolean(key, value) != value)
    fail(ErrorCode::kUnsupported, "{} is {}; this build runs only {}", full(key), !value, value);
}

void ConfigJson::only(std::string_view key, double value) {
  const double is = number(key, -1e300, 1e300, value);
  if (is != value) fail(ErrorCode::kUnsupported, "{} is {}; this build runs only {}", full(key), is, value);
}

void ConfigJson::only_text(std::string_view key, std::initializer_list<std::string_view> values) {
  const std::string is = text(key, *values.begin());
  if (std::find(values.begin(), values.end(), is) != values.end()) return;
  fail(ErrorCode::kUnsupported, "{} is {}; this build runs only {}", full(key), quote(is),
       fmt::join(values, ", "));
}

void ConfigJson::only_empty(std::string_view key) {
  const json* value = find(key);
  if (value != nullptr && !(value->is_array() && value->empty()))
    fail(ErrorCode::kUnsupported, "{} is {}; this build runs only an empty list", full(key), shown(*value));
}

std::vector<std::string> ConfigJson::unread() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object_->items())
    if (!value.is_null() && read_.count(key) == 0) keys.push_back(key);
  return keys;
}

void ConfigJson::refuse_unread() const {
  const std::vector<std::string> keys = unread();
  if (keys.empty()) return;
  fail(ErrorCode::kUnsupported,
       "{} is not a setting that this build knows of this architecture; ignoring it could compute something "
       "else than the model",
       quote(full(keys.front())));
}

}  // namespace kelda::models
