// Typed key/value pairs as they came with a model file. CONFIG: whoever trained the model fixed them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace kelda {

template <typename T, typename Variant>
inline constexpr bool kIsAlternative = false;
template <typename T, typename... Types>
inline constexpr bool kIsAlternative<T, std::variant<Types...>> = (std::is_same_v<T, Types> || ...);

template <typename T>
inline constexpr bool kIsVector = false;
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;

// The value types of GGUF, integers and floats kept at their own width so that a file can be rewritten
// unchanged.
class MetadataValue {
 public:
  template <typename T>
  using Array = std::vector<T>;
  using Variant =
      std::variant<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, float, bool, std::string, uint64_t,
                   int64_t, double, Array<uint8_t>, Array<int8_t>, Array<uint16_t>, Array<int16_t>,
                   Array<uint32_t>, Array<int32_t>, Array<float>, Array<bool>, Array<std::string>,
                   Array<uint64_t>, Array<int64_t>, Array<double>>;

  MetadataValue() = default;
  MetadataValue(Variant v) : v_(std::move(v)) {}  // implicit: a value is its variant
  // Implicit from exactly one of the variant's types; nothing is converted on the way.
  template <typename T>
  requires kIsAlternative<T, Variant> MetadataValue(T value) : v_(std::in_place_type<T>, std::move(value)) {}
  const Variant& variant() const { return v_; }

  bool is_array() const { return v_.index() >= 12; }
  std::size_t array_size() const;      // 0 for a scalar
  std::string_view type_name() const;  // "u32", "string", "array of f32"
  // For people: strings quoted and escaped in full, arrays as `[3 of string: "a", "b", …]`, at most max_items
  // items.
  std::string display(std::size_t max_items) const;

 private:
  Variant v_;
};

// Keys in the order of the file. Reading asks for a type and a range; what does not fit throws kBadInput
// naming the key.
class Metadata {
 public:
  using Item = std::pair<std::string, MetadataValue>;

  // Appends. Throws kBadInput if the key is already there; then nothing has changed.
  void add(std::string key, MetadataValue value);
  // Appends or replaces.
  void set(std::string_view key, MetadataValue value);
  const std::vector<Item>& items() const { return items_; }
  const MetadataValue* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }

  // Any integer type is accepted, and the value must lie in [lo, hi]; floats likewise, and must be finite.
  // The first form throws kBadInput "missing key …" when absent, the second returns `otherwise`.
  int64_t integer(std::string_view key, int64_t lo, int64_t hi) const;
  int64_t integer(std::string_view key, int64_t lo, int64_t hi, int64_t otherwise) const;
  double number(std::string_view key, double lo, double hi) const;
  double number(std::string_view key, double lo, double hi, double otherwise) const;
  bool boolean(std::string_view key, bool otherwise) const;
  const std::string& text(std::string_view key) const;
  std::string text(std::string_view key, std::string_view otherwise) const;
  // Arrays of exactly this element type; nullptr when absent, kBadInput when of another type.
  const std::vector<std::string>* strings(std::string_view key) const;
  const std::vector<float>* floats(std::string_view key) const;
  const std::vector<int32_t>* int32s(std::string_view key) const;

 private:
  std::vector<Item> items_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace kelda
