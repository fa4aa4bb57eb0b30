// A config.json of Hugging Face while it is read: as with ConfigKeys, a key that nobody has read or declared
// harmless is refused, since it may ask for other arithmetic than what would run.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kelda::models {

// An object of the file. A null value is an absent one. Ranges are checked; what does not fit throws
// kBadInput naming the key with its path ("rope_scaling.factor").
class ConfigJson {
 public:
  // Throws kBadInput for text that is no JSON object, for a key that appears twice, and for values nested
  // deeper than 16.
  static ConfigJson parse(std::string_view text);
  // The same of a list of objects, whose keys are "[0].type" and so on.
  static std::vector<ConfigJson> parse_list(std::string_view text);

  bool has(std::string_view key) const;
  // Where null says something else than an absent key does.
  bool is_null(std::string_view key) const;
  int64_t integer(std::string_view key, int64_t lo, int64_t hi);
  int64_t integer(std::string_view key, int64_t lo, int64_t hi, int64_t otherwise);
  // One number that has had several names; nothing where the file has none of them. Throws kBadInput where
  // two of them differ.
  std::optional<int64_t> integer_under(std::initializer_list<std::string_view> keys, int64_t lo, int64_t hi);
  double number(std::string_view key, double lo, double hi);
  double number(std::string_view key, double lo, double hi, double otherwise);
  bool boolean(std::string_view key, bool otherwise);
  std::string text(std::string_view key, std::string_view otherwise);
  // Empty where the key is absent. Lists of one kind only.
  std::vector<std::string> texts(std::string_view key);
  std::vector<double> numbers(std::string_view key, double lo, double hi);
  // A number or a list of them, as "eos_token_id" is. Empty where the key is absent.
  std::vector<int64_t> integers(std::string_view key, int64_t lo, int64_t hi);
  // Nothing where the key is absent. Its keys are accounted for by themselves.
  std::optional<ConfigJson> object(std::string_view key);
  std::vector<ConfigJson> objects(std::string_view key);
  // For keys that hold one of several kinds.
  bool is_object(std::string_view key) const;
  bool is_list(std::string_view key) const;

  // The one value that the arithmetic of this build amounts to. Absent is the same; any other throws
  // kUnsupported naming the key.
  void only(std::string_view key, bool value);
  void only(std::string_view key, double value);
  void only_text(std::string_view key, std::initializer_list<std::string_view> values);
  // An empty list, or none at all.
  void only_empty(std::string_view key);
  // No value of it changes what the network computes.
  void ignore(std::string_view key) { mark(key); }

  std::string full(std::string_view key) const { return prefix_ + std::string(key); }
  // Throws kUnsupported naming the first key that was neither read nor ignored.
  void refuse_unread() const;
  // The keys that were neither read nor ignored, sorted; those that are null are none.
  std::vector<std::string> unread() const;

 private:
  ConfigJson(std::shared_ptr<const nlohmann::json> object, std::string prefix)
      : object_(std::move(object)), prefix_(std::move(prefix)) {}
  const nlohmann::json* find(std::string_view key);
  std::string mark(std::string_view key) { return full(*read_.emplace(key).first); }

  std::shared_ptr<const nlohmann::json> object_;
  std::string prefix_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace kelda::models
