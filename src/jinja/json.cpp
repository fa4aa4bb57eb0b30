#include "jinja/json.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "jinja/unicode.h"

namespace kelda::jinja {
namespace {

namespace sj = simdjson::ondemand;

class Reader {
 public:
  Reader(std::string_view json, Provenance p, JsonLimits limits) : json_(json), p_(p), limits_(limits) {}

  Value run() {
    // A text that is no list or object is read as the only item of a list: so there is one way to read.
    if (json_.starts_with("\xEF\xBB\xBF")) json_.remove_prefix(3);  // the mark that some editors put first
    const std::size_t first = json_.find_first_not_of(" \t\r\n");
    const bool wrap = first == std::string_view::npos || (json_[first] != '[' && json_[first] != '{');
    std::string wrapped;
    if (wrap) wrapped = fmt::format("[{}]", json_);
    const simdjson::padded_string padded(wrap ? std::string_view(wrapped) : json_);
    begin_ = padded.data() + (wrap ? 1 : 0);
    check(parser_.iterate(padded).get(document_));
    is_open_ = true;
    sj::value root;
    check(document_.get_value().get(root));
    Value value = convert(root, wrap ? 0 : 1);
    const char* rest = nullptr;
    if (!document_.current_location().get(rest)) check(simdjson::TRAILING_CONTENT);
    if (!wrap) return value;
    if (value.items().size() != 1)
      check(value.items().empty() ? simdjson::EMPTY : simdjson::TRAILING_CONTENT);
    return value.items()[0];
  }

 private:
  void check(simdjson::error_code code) {
    if (!code) return;
    const std::size_t at = fault_offset();
    fail(ErrorCode::kBadInput, "not JSON: {}, at {}: {}", simdjson::error_message(code), place(at),
         at < json_.size() ? quote(json_.substr(at), 40) : "the end");
  }

  // Of the first byte that no JSON could have there. simdjson does not tell, so another parser is asked.
  std::size_t fault_offset() {
    if (const auto bad = first_invalid_utf8(json_)) return *bad;
    try {
      const auto keep_nothing = [](int, nlohmann::json::parse_event_t, nlohmann::json&) { return false; };
      [[maybe_unused]] const auto nothing = nlohmann::json::parse(json_, keep_nothing);
    } catch (const nlohmann::json::parse_error& e) {
      return e.byte == 0 ? 0 : std::min(e.byte - 1, json_.size());
    }
    return offset_here();
  }

  // Where the reading stands.
  std::size_t offset_here() {
    const char* at = nullptr;
    return is_open_ && !document_.current_location().get(at) ? offset_of(at) : json_.size();
  }

  std::size_t offset_of(const char* at) const {
    return at < begin_ ? 0 : std::min(static_cast<std::size_t>(at - begin_), json_.size());
  }

  // As editors count: from 1, columns in bytes.
  std::string place(std::size_t at) const {
    const std::string_view before = json_.substr(0, at);
    const std::size_t line_begin = before.rfind('\n') + 1;  // 0 where there is none
    return fmt::format("line {}, column {}", 1 + std::count(before.begin(), before.end(), '\n'),
                       at - line_begin + 1);
  }

  // Names the text of a number or word that is no JSON.
  [[noreturn]] void bad_token(std::string_view token) const {
    fail(ErrorCode::kBadInput, "not JSON: {} is no value, at {}", quote(token, 40),
         place(offset_of(token.data())));
  }

  // A number, true, false or null, from its text.
  Value word(std::string_view token) const {
    while (!token.empty() && std::string_view(" \t\r\n").find(token.back()) != std::string_view::npos) {
      token.remove_suffix(1);
    }
    if (token == "true" || token == "false") return Value::boolean(token == "true", p_);
    if (token == "null") return Value::none(p_);
    return number(token);
  }

  Value number(std::string_view token) const {
    std::size_t at = token.starts_with('-') ? 1 : 0;
    const auto digits = [&] {
      const std::size_t begin = at;
      while (at < token.size() && token[at] >= '0' && token[at] <= '9') ++at;
      return at - begin;
    };
    const bool zero = at < token.size() && token[at] == '0';
    const std::size_t n_whole = digits();
    if (n_whole == 0 || (zero && n_whole > 1)) bad_token(token);
    bool whole = true;
    if (at < token.size() && token[at] == '.') {
      ++at;
      whole = false;
      if (digits() == 0) bad_token(token);
    }
    if (at < token.size() && (token[at] | 32) == 'e') {
      ++at;
      whole = false;
      if (at < token.size() && (token[at] == '+' || token[at] == '-')) ++at;
      if (digits() == 0) bad_token(token);
    }
    if (at != token.size()) bad_token(token);
    if (!whole) return Value::real(parse_double(token), p_);
    int64_t value = 0;
    const auto result = std::from_chars(token.data(), token.data() + token.size(), value);
    if (result.ec == std::errc()) return Value::integer(value, p_);
    constexpr std::size_t kMaxDigits =
        4300;  // as Python, which computes with them: so none is slow to look at
    if (n_whole > kMaxDigits) {
      fail(ErrorCode::kBadInput, "an integer of {} digits, at {}; JSON may have {} here", n_whole,
           place(offset_of(token.data())), kMaxDigits);
    }
    return Value::big_integer(std::string(token), p_);
  }

  Value convert(sj::value& value, int depth) {
    if (depth > limits_.max_depth) {
      fail(ErrorCode::kBadInput, "JSON is nested deeper than {}, at {}", limits_.max_depth,
           place(offset_here()));
    }
    sj::json_type type{};
    check(value.type().get(type));
    switch (type) {
      case sj::json_type::array:
        return array(value, depth);
      case sj::json_type::object:
        return object(value, depth);
      case sj::json_type::string: {
        std::string_view text;
        check(value.get_string().get(text));
        return Value::string(std::string(text), p_);
      }
      default:
        return word(value.raw_json_token());
    }
  }

  Value array(sj::value& value, int depth) {
    sj::array items;
    check(value.get_array().get(items));
    std::vector<Value> all;
    for (auto item : items) {
      sj::value inner;
      check(item.get(inner));
      all.push_back(convert(inner, depth + 1));
    }
    return Value::list(std::move(all), p_);
  }

  Value object(sj::value& value, int depth) {
    sj::object fields;
    check(value.get_object().get(fields));
    Dict dict;
    for (auto field : fields) {
      std::string_view key;
      check(field.unescaped_key().get(key));
      const std::string name(key);
      if (limits_.unique_keys && dict.find(name) != nullptr)
        fail(ErrorCode::kBadInput, "the key {} is given twice in one object, at {}", quote(name, 60),
             place(offset_here()));
      sj::value inner;
      check(field.value().get(inner));
      dict.set(name, convert(inner, depth + 1), p_);
    }
    return Value::dict(std::move(dict), p_);
  }

  std::string_view json_;
  Provenance p_;
  JsonLimits limits_;
  sj::parser parser_;
  sj::document document_;
  bool is_open_ = false;  // the document can be asked where it stands
  const char* begin_ = nullptr;
};

}  // namespace

Value parse_json(std::string_view json, Provenance p, JsonLimits limits) {
  return Reader(json, p, limits).run();
}

}  // namespace kelda::jinja
