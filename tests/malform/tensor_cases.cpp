#include <string>
#include <utility>

#include "malform/cases.h"
#include "malform/gguf_builder.h"
#include "malform/small_file.h"

namespace kelda::malform {
namespace {

constexpr Stage kAt = Stage::kContainer;

// A small file after `change` to tensor "a", f32 [2, 4].
template <typename Change>
std::string with_a(Change&& change) {
  GgufBuilder b = small_file();
  change(b.tensor("a"));
  return b.bytes();
}

std::string with_dims(std::vector<uint64_t> dims) {
  return with_a([&](GgufBuilder::Tensor& t) { t.dims = std::move(dims); });
}

std::string with_type(uint32_t type) {
  return with_a([&](GgufBuilder::Tensor& t) { t.type = type; });
}

void add_name_cases(std::vector<Case>& cases) {
  const auto named = [](std::string name) {
    return with_a([&](GgufBuilder::Tensor& t) { t.name = std::move(name); });
  };
  cases.push_back({"tensor_name_empty", kAt, 2, "the name of tensor 0 is empty", named("")});
  cases.push_back(
      {"tensor_name_65", kAt, 2, "holds a string of 65 bytes; at most 64", named(std::string(65, 'n'))});
  cases.push_back({"tensor_name_64_is_fine", kAt, 0, "", named(std::string(64, 'n'))});
  cases.push_back({"tensor_name_not_utf8", kAt, 2, "\"a\\x80\" is not valid UTF-8", named("a\x80")});
  cases.push_back({"tensor_name_newline", kAt, 2, "\"a\\x0Ab\" contains a control character", named("a\nb")});
  cases.push_back({"tensor_name_twice", kAt, 2, "tensor \"b\" appears twice", named("b")});
}

void add_shape_cases(std::vector<Case>& cases) {
  const auto n_dims = [](uint32_t n) { return with_a([&](GgufBuilder::Tensor& t) { t.n_dims = n; }); };
  for (const uint32_t n : {0u, 5u, 1000u, 0xFFFFFFFFu}) {
    cases.push_back({"n_dims_" + std::to_string(n), kAt, 2,
                     "tensor \"a\" has " + std::to_string(n) + " dimensions; allowed are 1 to 4", n_dims(n)});
  }
  cases.push_back({"dims_4_is_fine", kAt, 0, "", with_dims({2, 2, 2, 1})});
  const uint64_t big = uint64_t{1} << 32;
  cases.push_back({"dim_0", kAt, 2, "tensor \"a\" has a dimension of 0", with_dims({4, 0})});
  cases.push_back({"dim_2_63", kAt, 2, "tensor \"a\" has a dimension of 9223372036854775808",
                   with_dims({uint64_t{1} << 63, 2})});
  cases.push_back(
      {"dim_max", kAt, 2, "tensor \"a\" has a dimension of 18446744073709551615", with_dims({~uint64_t{0}})});
  cases.push_back(
      {"dims_2_32_squared", kAt, 2, "tensor \"a\" has dimensions whose product", with_dims({big, big})});
  cases.push_back({"dims_2_31_2_31_4", kAt, 2, "tensor \"a\" has dimensions whose product",
                   with_dims({big / 2, big / 2, 4})});
  // 2^62 + 4 columns times 4 rows wraps to 16 elements.
  cases.push_back({"dims_wrap_to_16", kAt, 2, "tensor \"a\" has dimensions whose product",
                   with_dims({(uint64_t{1} << 62) + 4, 4})});
  cases.push_back(
      {"bytes_overflow", kAt, 2, "tensor \"a\" has a size in bytes", with_dims({uint64_t{1} << 62})});
  cases.push_back({"bytes_beyond_file", kAt, 2, "tensor \"a\" has 4611686018427387904 bytes",
                   with_dims({uint64_t{1} << 60})});
  GgufBuilder b = small_file();
  b.tensor("b").dims = {33, 1};
  cases.push_back({"row_not_blocks", kAt, 2,
                   "tensor \"b\" has rows of 33 columns; q4_0 needs a multiple of 32", b.bytes()});
  b.tensor("b").dims = {16, 2};  // the product is a multiple of the block, the row is not
  cases.push_back({"row_half_a_block", kAt, 2,
                   "tensor \"b\" has rows of 16 columns; q4_0 needs a multiple of 32", b.bytes()});
}

void add_type_cases(std::vector<Case>& cases) {
  const std::string says = "tensor \"a\" is of ggml type ";
  cases.push_back({"type_q4_2_removed", kAt, 2, says + "4 (Q4_2); this build reads", with_type(4)});
  cases.push_back({"type_i32", kAt, 2, says + "26 (I32); this build reads", with_type(26)});
  cases.push_back({"type_unknown_1000", kAt, 2, says + "1000 (unknown); this build reads", with_type(1000)});
  cases.push_back({"type_unknown_max", kAt, 2, says + "4294967295 (unknown)", with_type(0xFFFFFFFFu)});
}

void add_place_cases(std::vector<Case>& cases) {
  const auto b_at = [](uint64_t offset) {
    GgufBuilder b = small_file();
    b.tensor("b").offset = offset;
    return b.bytes();
  };
  const std::string outside = "but the file ends at byte";
  cases.push_back({"offset_unaligned", kAt, 2,
                   "tensor \"b\" has offset 33, which is not a multiple of the alignment 32", b_at(33)});
  cases.push_back({"offset_equal", kAt, 2, "starts inside tensor", b_at(0)});
  cases.push_back({"offset_beyond", kAt, 2, outside, b_at(1 << 20)});
  cases.push_back({"offset_2_63", kAt, 2, outside, b_at(uint64_t{1} << 63)});
  cases.push_back({"offset_wraps", kAt, 2, outside, b_at(~uint64_t{0} - 31)});

  // "a" needs more than the gap to the next offset.
  GgufBuilder grown = small_file();
  grown.tensor("a").dims = {4, 3};
  cases.push_back({"gap_too_small", kAt, 2, "tensor \"b\" starts inside tensor \"a\"", grown.bytes()});
  GgufBuilder swapped = small_file();
  std::swap(swapped.tensors[0].data, swapped.tensors[1].data);
  swapped.tensors[0].offset = 32;
  swapped.tensors[1].offset = 0;
  cases.push_back({"order_reversed_is_fine", kAt, 0, "", swapped.bytes()});

  GgufBuilder unpadded = small_file();
  unpadded.pad_last = false;
  const std::string whole = unpadded.bytes();
  cases.push_back({"last_unpadded_is_fine", kAt, 0, "", whole});
  cases.push_back({"last_one_byte_short", kAt, 2, "tensor \"b\" has 18 bytes at offset 32",
                   whole.substr(0, whole.size() - 1)});
  cases.push_back({"no_data", kAt, 2, "tensor \"a\" has 32 bytes at offset 0", unpadded.header()});
  cases.push_back({"trailing_bytes_are_fine", kAt, 0, "", whole + std::string(1000, 'x')});

  // Two tensors whose sizes fit in 63 bits, their padded sum does not fit in 64.
  GgufBuilder sum = small_file();
  const uint64_t half = (uint64_t{1} << 63) - 64;
  sum.tensor("a").dims = {half / 4};
  sum.tensor("b").type = kF32;
  sum.tensor("b").dims = {half / 4};
  sum.tensor("b").offset = half;
  cases.push_back({"padded_sum_wraps", kAt, 2, outside, sum.bytes()});

  GgufBuilder none = small_file();
  none.tensors.clear();
  cases.push_back({"no_tensors_is_fine", kAt, 0, "", none.bytes()});
}

}  // namespace

std::vector<Case> tensor_cases() {
  std::vector<Case> cases;
  add_name_cases(cases);
  add_shape_cases(cases);
  add_type_cases(cases);
  add_place_cases(cases);
  return cases;
}

}  // namespace kelda::malform
