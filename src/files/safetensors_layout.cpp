#include "files/safetensors_layout.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/quote.h"
#include "files/safetensors_json.h"

namespace kelda::safetensors {
namespace {

struct Dtype {
  std::string_view name;
  uint32_t bits;
};
constexpr std::array<Dtype, 22> kDtypes = {{
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
    {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
    {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64},
}};

template <typename Less>
std::vector<uint32_t> ordered(const std::vector<StoredTensor>& tensors, Less less) {
  std::vector<uint32_t> order(tensors.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return less(tensors[a], tensors[b]); });
  return order;
}

}  // namespace

std::optional<uint32_t> dtype_bits(std::string_view dtype) {
  for (const Dtype& d : kDtypes) {
    if (d.name == dtype) return d.bits;
  }
  return std::nullopt;
}

std::string known_dtypes() {
  std::string out;
  for (const Dtype& d : kDtypes) {
    fmt::format_to(std::back_inserter(out), "{}{}", out.empty() ? "" : ", ", d.name);
  }
  return out;
}

std::optional<std::string> set_tensor_bytes(StoredTensor& tensor) {
  const auto bits_each = dtype_bits(tensor.dtype);
  KELDA_CHECK(bits_each.has_value());
  uint64_t n = 1;
  bool empty = false;
  for (const int64_t dim : tensor.shape) {
    empty = empty || dim == 0;
    const auto product = checked_mul(n, static_cast<uint64_t>(std::max<int64_t>(dim, 1)));
    if (!product || *product > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return "has dimensions whose product does not fit in 63 bits";
    }
    n = *product;
  }
  const auto bits = checked_mul(n, *bits_each);
  if (!bits) return "has a size in bits that does not fit in 64 bits";
  if (!empty && *bits % 8 != 0) {
    return fmt::format("has {} numbers of {} bits, which do not fill whole bytes", n, *bits_each);
  }
  tensor.bytes = empty ? 0 : *bits / 8;
  return std::nullopt;
}

void check_tensors(const File& file, uint64_t data_begin, const std::vector<StoredTensor>& tensors,
                   std::span<const uint32_t> name_at) {
  auto order = ordered(tensors, [](const StoredTensor& a, const StoredTensor& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (tensors[order[i - 1]].name == tensors[order[i]].name) {
      refuse(file, std::max(name_at[order[i - 1]], name_at[order[i]]),
             fmt::format("tensor {} appears twice", quote(tensors[order[i]].name)));
    }
  }
  order = ordered(tensors, [](const StoredTensor& a, const StoredTensor& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.bytes < b.bytes;
  });
  uint64_t next = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const StoredTensor& t = tensors[order[i]];
    if (t.offset < next) {
      refuse(file, name_at[order[i]],
             fmt::format("tensor {} starts at offset {}, inside tensor {}", quote(t.name), t.offset,
                         quote(tensors[order[i - 1]].name)));
    }
    if (t.offset > next) {
      refuse(file, data_begin + next,
             fmt::format("{} bytes before tensor {} belong to no tensor", t.offset - next, quote(t.name)));
    }
    next = t.offset + t.bytes;
  }
  const uint64_t data_bytes = file.size() - data_begin;
  if (next < data_bytes) {
    refuse(file, data_begin + next,
           fmt::format("the last {} bytes of the file belong to no tensor", data_bytes - next));
  }
}

}  // namespace kelda::safetensors
