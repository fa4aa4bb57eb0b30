// What reader and writer of GGUF share: numbers of the format, our limits, and the rules for names and
// shapes.
//   Source: docs/formats/gguf.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "files/model_file.h"

namespace kelda::gguf {

static_assert(std::endian::native == std::endian::little,
              "GGUF files are read and written in host byte order");

inline constexpr std::string_view kMagic = "GGUF";
inline constexpr uint32_t kOldestVersion = 2;
inline constexpr uint32_t kNewestVersion = 3;
inline constexpr std::string_view kAlignmentKey = "general.alignment";

// Limits of this implementation. A header holds a few tens of MiB at most in the wild.
inline constexpr uint64_t kMaxHeaderBytes = uint64_t{128} << 20;
inline constexpr uint64_t kMaxKeys = 65536;
inline constexpr uint64_t kMaxTensors = 131072;
inline constexpr uint64_t kMaxKeyBytes = 65535;
inline constexpr uint64_t kMaxTensorNameBytes = 64;
inline constexpr uint64_t kMaxStringBytes = uint64_t{16} << 20;
inline constexpr uint64_t kMaxArrayItems = uint64_t{1} << 22;
inline constexpr uint32_t kMaxDims = 4;
inline constexpr uint32_t kDefaultAlignment = 32;
inline constexpr uint32_t kMinAlignment = 8;
inline constexpr uint32_t kMaxAlignment = uint32_t{1} << 20;

// Metadata value types by their id in the file.
enum class ValueType : uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};

template <typename T>
constexpr ValueType value_type_of() {
  if constexpr (std::is_same_v<T, uint8_t>) return ValueType::kU8;
  if constexpr (std::is_same_v<T, int8_t>) return ValueType::kI8;
  if constexpr (std::is_same_v<T, uint16_t>) return ValueType::kU16;
  if constexpr (std::is_same_v<T, int16_t>) return ValueType::kI16;
  if constexpr (std::is_same_v<T, uint32_t>) return ValueType::kU32;
  if constexpr (std::is_same_v<T, int32_t>) return ValueType::kI32;
  if constexpr (std::is_same_v<T, float>) return ValueType::kF32;
  if constexpr (std::is_same_v<T, bool>) return ValueType::kBool;
  if constexpr (std::is_same_v<T, std::string>) return ValueType::kString;
  if constexpr (std::is_same_v<T, uint64_t>) return ValueType::kU64;
  if constexpr (std::is_same_v<T, int64_t>) return ValueType::kI64;
  if constexpr (std::is_same_v<T, double>) return ValueType::kF64;
}

// ggml's name of a tensor type id ("Q4_K"), known to this build or not; empty for an id that ggml does not
// define.
std::string_view ggml_type_name(uint32_t type);
// "f32 (0), f16 (1), …": the formats of this build.
std::string known_formats();

// What is wrong with a key or tensor name, in words that follow "the key " or "the name "; nullopt if nothing
// is.
std::optional<std::string> name_fault(std::string_view name, uint64_t max_bytes);
// What is wrong with an alignment, likewise; nullopt if nothing is.
std::optional<std::string> alignment_fault(const MetadataValue& value);
// The file's alignment: general.alignment, or the default. Throws kBadInput for one that is not allowed.
uint32_t alignment_of(const Metadata& metadata);

// Sets tensor.bytes from its shape and format, every product checked. Returns what is wrong with the shape,
// or nullopt.
std::optional<std::string> set_tensor_bytes(TensorInfo& tensor);

// The smallest multiple of `alignment`, a power of two, that is ≥ n; nullopt beyond 64 bits.
std::optional<uint64_t> align_up(uint64_t n, uint64_t alignment);

}  // namespace kelda::gguf
