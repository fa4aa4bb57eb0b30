#include "models/huggingface/translated_tensor.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/half.h"

namespace kelda::models {
namespace {

// w + 1, rounded as the arithmetic of its own type does: bfloat16 is widened first.
float plus_one(std::string_view dtype, const std::byte* at) {
  if (dtype == "F32") {
    float w;
    std::memcpy(&w, at, sizeof w);
    return w + 1;
  }
  uint16_t bits;
  std::memcpy(&bits, at, sizeof bits);
  if (dtype == "BF16") return to_float(bf16{bits}) + 1;
  return to_float(to_f16(to_float(f16{bits}) + 1));
}

}  // namespace

uint64_t TranslatedTensor::bytes() const {
  uint64_t n = 0;
  for (const StoredTensor* part : parts) n += part->bytes;
  return how == Translated::kPlusOne ? n / element_bytes * sizeof(float) : n;
}

void TranslatedTensor::read(const Safetensors& from, uint64_t first, std::span<std::byte> out) const {
  KELDA_CHECK(first <= bytes() && out.size() <= bytes() - first);
  switch (how) {
    case Translated::kAsIs:
      return read_parts(from, first, out);
    case Translated::kPlusOne:
      return read_plus_one(from, first, out);
    case Translated::kInterleaved:
      return read_interleaved(from, first, out);
    case Translated::kTransposed:
      return read_transposed(from, first, out);
    case Translated::kDropped:
      break;
  }
  KELDA_CHECK(false);
}

void TranslatedTensor::read_parts(const Safetensors& from, uint64_t first, std::span<std::byte> out) const {
  const uint64_t part_bytes = parts[0]->bytes;
  while (!out.empty()) {
    const uint64_t at = first % part_bytes;
    const std::size_t n = std::min<std::size_t>(out.size(), part_bytes - at);
    from.read(*parts[first / part_bytes], at, out.first(n));
    out = out.subspan(n);
    first += n;
  }
}

void TranslatedTensor::read_plus_one(const Safetensors& from, uint64_t first,
                                     std::span<std::byte> out) const {
  KELDA_CHECK(first % sizeof(float) == 0 && out.size() % sizeof(float) == 0);
  const std::size_t n = out.size() / sizeof(float);
  std::vector<std::byte> stored(n * element_bytes);
  from.read(*parts[0], first / sizeof(float) * element_bytes, stored);
  for (std::size_t i = 0; i < n; ++i) {
    const float w = plus_one(parts[0]->dtype, stored.data() + i * element_bytes);
    std::memcpy(out.data() + i * sizeof w, &w, sizeof w);
  }
}

void TranslatedTensor::read_interleaved(const Safetensors& from, uint64_t first,
                                        std::span<std::byte> out) const {
  const auto& shape = parts[0]->shape;
  const uint64_t row_bytes = parts[0]->bytes / static_cast<uint64_t>(shape[0]);
  const auto width = static_cast<uint64_t>(head_dim);
  while (!out.empty()) {
    const uint64_t row = first / row_bytes, at = first % row_bytes;
    const uint64_t in_head = row % width;
    const uint64_t source = row - in_head + in_head / 2 + in_head % 2 * (width / 2);
    const std::size_t n = std::min<std::size_t>(out.size(), row_bytes - at);
    from.read(*parts[0], source * row_bytes + at, out.first(n));
    out = out.subspan(n);
    first += n;
  }
}

// Whole rows only; a vector is as it is.
void TranslatedTensor::read_transposed(const Safetensors& from, uint64_t first,
                                       std::span<std::byte> out) const {
  const auto& shape = parts[0]->shape;
  if (shape.size() == 1) return read_parts(from, first, out);
  const auto n_cols = static_cast<std::size_t>(shape[0]);  // of the transposed
  const auto n_stored_cols = static_cast<std::size_t>(shape[1]);
  const std::size_t row_bytes = n_cols * element_bytes;
  KELDA_CHECK(first % row_bytes == 0 && out.size() % row_bytes == 0);
  const std::size_t first_row = first / row_bytes, n_rows = out.size() / row_bytes;
  std::vector<std::byte> slice(n_rows * element_bytes);
  for (std::size_t c = 0; c < n_cols; ++c) {
    from.read(*parts[0], (c * n_stored_cols + first_row) * element_bytes, slice);
    for (std::size_t r = 0; r < n_rows; ++r)
      std::memcpy(out.data() + r * row_bytes + c * element_bytes, slice.data() + r * element_bytes,
                  element_bytes);
  }
}

}  // namespace kelda::models
