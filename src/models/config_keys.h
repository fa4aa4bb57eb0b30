// One architecture's metadata keys while they are read: a key that nobody has read or declared harmless is
// refused, since it may ask for other arithmetic than what would run.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/metadata.h"

namespace kelda::models {

// Names are given without the architecture's prefix: "block_count" is "llama.block_count" of a Llama. The
// readers mark their key as read; ranges, defaults and errors are Metadata's. The metadata outlives this.
class ConfigKeys {
 public:
  ConfigKeys(const Metadata& metadata, std::string_view architecture)
      : metadata_(metadata), prefix_(std::string(architecture) + ".") {}

  std::string full(std::string_view name) const { return prefix_ + std::string(name); }
  bool has(std::string_view name) const { return metadata_.has(full(name)); }
  bool was_read(std::string_view name) const { return read_.count(full(name)) != 0; }

  int64_t integer(std::string_view name, int64_t lo, int64_t hi);
  int64_t integer(std::string_view name, int64_t lo, int64_t hi, int64_t otherwise);
  double number(std::string_view name, double lo, double hi);
  double number(std::string_view name, double lo, double hi, double otherwise);
  bool boolean(std::string_view name, bool otherwise);
  // nullptr where the key is absent or of another type; it is marked as read only where it is of this one.
  const std::vector<bool>* booleans(std::string_view name);
  std::string text(std::string_view name, std::string_view otherwise);

  // The same of a key that belongs to no architecture, by its full name.
  int64_t integer_of_file(std::string_view full_name, int64_t lo, int64_t hi) const {
    return metadata_.integer(full_name, lo, hi);
  }

  // The one value that the arithmetic of this build amounts to. Absent is the same; any other value throws
  // kUnsupported naming the key, another type kBadInput. Numbers are compared as f32, which files hold.
  using Neutral = std::variant<bool, int64_t, double, std::string_view>;
  void only(std::string_view name, const Neutral& value);
  // Tells of the file or its making; no value of it changes what the network computes.
  void ignore(std::string_view name) { mark(name); }

  // Throws kUnsupported naming the first key of the prefix that was neither read nor ignored.
  void refuse_unread() const;

 private:
  std::string mark(std::string_view name) { return *read_.insert(full(name)).first; }

  const Metadata& metadata_;
  std::string prefix_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace kelda::models
