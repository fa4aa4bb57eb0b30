#include "files/gguf_layout.h"

#include <array>
#include <iterator>
#include <limits>

#include "base/checked.h"
#include "base/error.h"
#include "base/quote.h"
#include "base/utf8.h"

namespace kelda::gguf {

std::string_view ggml_type_name(uint32_t type) {
  static constexpr std::array<std::string_view, 41> kNames = {
      "F32",   "F16",        "Q4_0",       "Q4_1",       "Q4_2",     "Q4_3",     "Q5_0",
      "Q5_1",  "Q8_0",       "Q8_1",       "Q2_K",       "Q3_K",     "Q4_K",     "Q5_K",
      "Q6_K",  "Q8_K",       "IQ2_XXS",    "IQ2_XS",     "IQ3_XXS",  "IQ1_S",    "IQ4_NL",
      "IQ3_S", "IQ2_S",      "IQ4_XS",     "I8",         "I16",      "I32",      "I64",
      "F64",   "IQ1_M",      "BF16",       "Q4_0_4_4",   "Q4_0_4_8", "Q4_0_8_8", "TQ1_0",
      "TQ2_0", "IQ4_NL_4_4", "IQ4_NL_4_8", "IQ4_NL_8_8", "MXFP4",    "NVFP4"};
  return type < kNames.size() ? kNames[type] : std::string_view{};
}

std::string known_formats() {
  std::string out;
  for (const quant::FormatSpec* f : quant::formats()) {
    fmt::format_to(std::back_inserter(out), "{}{} ({})", out.empty() ? "" : ", ", f->name, f->gguf_type);
  }
  return out;
}

std::optional<std::string> name_fault(std::string_view name, uint64_t max_bytes) {
  if (name.empty()) return "is empty";
  if (name.size() > max_bytes) {
    return fmt::format("{} is {} bytes long; at most {} are allowed", quote(name, 40), name.size(),
                       max_bytes);
  }
  if (!is_utf8(name)) return fmt::format("{} is not valid UTF-8", quote(name));
  for (std::size_t i = 0; i < name.size();) {
    const Utf8Sequence s = next_utf8(name.substr(i));
    if (s.code_point < 0x20 || (s.code_point >= 0x7F && s.code_point < 0xA0))
      return fmt::format("{} contains a control character", quote(name));
    i += s.length;
  }
  return std::nullopt;
}

std::optional<std::string> alignment_fault(const MetadataValue& value) {
  const auto* alignment = std::get_if<uint32_t>(&value.variant());
  if (alignment == nullptr) return fmt::format("is of type {}; u32 is required", value.type_name());
  if (!std::has_single_bit(*alignment) || *alignment < kMinAlignment || *alignment > kMaxAlignment) {
    return fmt::format("is {}; allowed are the powers of two from {} to {}", *alignment, kMinAlignment,
                       kMaxAlignment);
  }
  return std::nullopt;
}

uint32_t alignment_of(const Metadata& metadata) {
  const MetadataValue* value = metadata.find(kAlignmentKey);
  if (value == nullptr) return kDefaultAlignment;
  if (const auto fault = alignment_fault(*value)) {
    fail(ErrorCode::kBadInput, "metadata key {} {}", quote(kAlignmentKey), *fault);
  }
  return std::get<uint32_t>(value->variant());
}

std::optional<std::string> set_tensor_bytes(TensorInfo& tensor) {
  if (tensor.shape.empty() || tensor.shape.size() > kMaxDims) {
    return fmt::format("has {} dimensions; allowed are 1 to {}", tensor.shape.size(), kMaxDims);
  }
  uint64_t n_elements = 1;
  for (const int64_t dim : tensor.shape) {
    if (dim < 1) return fmt::format("has a dimension of {}; each must be at least 1", dim);
    const auto product = checked_mul(n_elements, static_cast<uint64_t>(dim));
    if (!product || *product > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return "has dimensions whose product does not fit in 63 bits";
    }
    n_elements = *product;
  }
  const auto block_size = static_cast<uint64_t>(tensor.format->block_size);
  const auto cols = static_cast<uint64_t>(tensor.cols());
  if (cols % block_size != 0) {
    return fmt::format("has rows of {} columns; {} needs a multiple of {}", cols, tensor.format->name,
                       block_size);
  }
  const auto bytes = checked_mul(n_elements / block_size, static_cast<uint64_t>(tensor.format->block_bytes));
  if (!bytes || *bytes > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return "has a size in bytes that does not fit in 63 bits";
  }
  tensor.bytes = *bytes;
  return std::nullopt;
}

std::optional<uint64_t> align_up(uint64_t n, uint64_t alignment) {
  const auto sum = checked_add(n, alignment - 1);
  if (!sum) return std::nullopt;
  return *sum & ~(alignment - 1);
}

}  // namespace kelda::gguf
