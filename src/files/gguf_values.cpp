#include "files/gguf_values.h"

#include <type_traits>
#include <variant>

#include "base/checked.h"
#include "base/error.h"
#include "files/gguf_layout.h"

namespace kelda::gguf {
namespace {

// The fewest bytes that an item takes in the file: an empty string is its length alone.
template <typename T>
constexpr uint64_t least_bytes() {
  return std::is_same_v<T, std::string> ? sizeof(uint64_t) : sizeof(T);
}

// Calls use(std::type_identity<T>{}) for the type of a scalar id; false if the id is not one.
template <typename Use>
bool with_scalar_type(ValueType type, Use&& use) {
  switch (type) {
    case ValueType::kU8:
      use(std::type_identity<uint8_t>{});
      return true;
    case ValueType::kI8:
      use(std::type_identity<int8_t>{});
      return true;
    case ValueType::kU16:
      use(std::type_identity<uint16_t>{});
      return true;
    case ValueType::kI16:
      use(std::type_identity<int16_t>{});
      return true;
    case ValueType::kU32:
      use(std::type_identity<uint32_t>{});
      return true;
    case ValueType::kI32:
      use(std::type_identity<int32_t>{});
      return true;
    case ValueType::kF32:
      use(std::type_identity<float>{});
      return true;
    case ValueType::kBool:
      use(std::type_identity<bool>{});
      return true;
    case ValueType::kString:
      use(std::type_identity<std::string>{});
      return true;
    case ValueType::kU64:
      use(std::type_identity<uint64_t>{});
      return true;
    case ValueType::kI64:
      use(std::type_identity<int64_t>{});
      return true;
    case ValueType::kF64:
      use(std::type_identity<double>{});
      return true;
    case ValueType::kArray:
      return false;
  }
  return false;
}

template <typename T>
T read_scalar(Cursor& in) {
  if constexpr (std::is_same_v<T, std::string>) {
    return in.text(kMaxStringBytes);
  } else if constexpr (std::is_same_v<T, bool>) {
    const uint64_t at = in.position();
    const auto byte = in.number<uint8_t>();
    if (byte > 1) in.bad(at, "is a bool stored as {}; allowed are 0 and 1", byte);
    return byte == 1;
  } else {
    return in.number<T>();
  }
}

template <typename T>
std::vector<T> read_items(Cursor& in, uint64_t at, uint64_t count) {
  const auto least = checked_mul(count, least_bytes<T>());
  if (!least || *least > in.left()) {
    in.bad(at, "is an array of {} items, but only {} bytes are left in the file", count, in.left());
  }
  if (count > kMaxArrayItems)
    in.bad(at, "is an array of {} items; at most {} are allowed", count, kMaxArrayItems);
  in.need(*least);
  std::vector<T> items;
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    items.resize(static_cast<std::size_t>(count));
    in.read(std::as_writable_bytes(std::span(items)));
  } else {
    items.reserve(static_cast<std::size_t>(count));
    for (uint64_t i = 0; i < count; ++i) items.push_back(read_scalar<T>(in));
  }
  return items;
}

MetadataValue read_array(Cursor& in) {
  uint64_t at = in.position();
  const auto item_type = in.number<uint32_t>();
  if (item_type == static_cast<uint32_t>(ValueType::kArray))
    in.bad(at, "is an array of arrays, which is not allowed");
  MetadataValue value;
  const bool known = with_scalar_type(static_cast<ValueType>(item_type), [&](auto type) {
    at = in.position();
    const auto count = in.number<uint64_t>();
    value = MetadataValue(read_items<typename decltype(type)::type>(in, at, count));
  });
  if (!known) in.bad(at, "is an array of unknown type {}; allowed are 0 to 8 and 10 to 12", item_type);
  return value;
}

template <typename T>
void append_scalar(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    if (value.size() > kMaxStringBytes) {
      fail(ErrorCode::kBadInput, "a metadata string has {} bytes; at most {} are allowed", value.size(),
           kMaxStringBytes);
    }
    append_text(out, value);
  } else if constexpr (std::is_same_v<T, bool>) {
    append_number(out, static_cast<uint8_t>(value ? 1 : 0));
  } else {
    append_number(out, value);
  }
}

}  // namespace

MetadataValue read_value(Cursor& in) {
  const uint64_t at = in.position();
  const auto type = in.number<uint32_t>();
  if (type == static_cast<uint32_t>(ValueType::kArray)) return read_array(in);
  MetadataValue value;
  const bool known = with_scalar_type(static_cast<ValueType>(type), [&](auto t) {
    value = MetadataValue(read_scalar<typename decltype(t)::type>(in));
  });
  if (!known) in.bad(at, "has the unknown value type {}; allowed are 0 to 12", type);
  return value;
}

void append_text(std::string& out, std::string_view text) {
  append_number(out, static_cast<uint64_t>(text.size()));
  out += text;
}

void append_value(std::string& out, const MetadataValue& value) {
  std::visit(
      [&](const auto& v) {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (kIsVector<T>) {
          using Item = typename T::value_type;
          if (v.size() > kMaxArrayItems) {
            fail(ErrorCode::kBadInput, "a metadata array has {} items; at most {} are allowed", v.size(),
                 kMaxArrayItems);
          }
          append_number(out, static_cast<uint32_t>(ValueType::kArray));
          append_number(out, static_cast<uint32_t>(value_type_of<Item>()));
          append_number(out, static_cast<uint64_t>(v.size()));
          for (std::size_t i = 0; i < v.size(); ++i) append_scalar<Item>(out, v[i]);
        } else {
          append_number(out, static_cast<uint32_t>(value_type_of<T>()));
          append_scalar(out, v);
        }
      },
      value.variant());
}

}  // namespace kelda::gguf
