// JSON that knows where it stands: values with their path ("model.vocab"), so that every complaint can name
// it, and objects whose every field must be asked for.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kelda::text {

class JsonObject;

class JsonView {
 public:
  JsonView(simdjson::dom::element element, std::string path) : element_(element), path_(std::move(path)) {}
  const std::string& path() const { return path_; }
  bool is_null() const { return element_.is_null(); }

  // Each throws kBadInput naming the path for a value of another type, or outside [lo, hi].
  std::string_view text() const;
  bool boolean() const;
  int64_t integer(int64_t lo, int64_t hi) const;
  uint64_t natural() const;  // a whole number of 64 bits without a sign
  double number(double lo, double hi) const;
  std::vector<JsonView> list(std::size_t at_most) const;
  JsonObject object() const;
  // The value as JSON again.
  std::string json() const;
  // For lists and objects too long for views of all their members.
  simdjson::dom::array raw_list() const;
  simdjson::dom::object raw_object() const;

 private:
  [[noreturn]] void refuse(std::string_view wanted) const;
  simdjson::dom::element element_;
  std::string path_;
};

class JsonObject {
 public:
  // Throws kBadInput for a field that is there twice, or more than 64 fields.
  JsonObject(simdjson::dom::object object, std::string path);
  const std::string& path() const { return path_; }
  // The field's value; nullopt if it is absent or null.
  std::optional<JsonView> take(std::string_view key);
  // Throws kBadInput if it is absent or null.
  JsonView need(std::string_view key);
  bool boolean(std::string_view key, bool otherwise);
  // Throws kUnsupported naming a field that was never asked for: this reader does not know what it means.
  void done() const;

 private:
  struct Field {
    std::string_view key;
    simdjson::dom::element value;
    bool taken;
  };
  std::string path_;
  std::vector<Field> fields_;
};

// A document. The views must not outlive it.
class JsonDocument {
 public:
  // Throws kBadInput for what is not JSON, or deeper than 64.
  explicit JsonDocument(std::string_view json);
  JsonView root() const { return at(""); }
  // The same, under a name in messages.
  JsonView at(std::string path) const { return {root_, std::move(path)}; }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

}  // namespace kelda::text
