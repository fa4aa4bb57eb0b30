#include "models/huggingface/translated_tensor.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/half.h"
#include "files/scratch_file.h"
#include "malform/safetensors_builder.h"

namespace kelda::models {
namespace {

// One tensor in a file of its own.
template <typename T>
Safetensors file_of(const std::string& dtype, const std::vector<int64_t>& shape,
                    const std::vector<T>& values) {
  const auto* data = reinterpret_cast<const char*>(values.data());
  malform::SafetensorsBuilder builder;
  builder.tensors = {{"t", dtype, shape, std::string(data, values.size() * sizeof(T))}};
  const ScratchFile scratch;
  malform::write_file(scratch.path(), builder.bytes());
  return Safetensors::open(scratch.path());
}

template <typename T>
std::vector<T> read(const Safetensors& file, const TranslatedTensor& t, uint64_t first, std::size_t n) {
  std::vector<T> out(n);
  t.read(file, first * sizeof(T), std::as_writable_bytes(std::span(out)));
  return out;
}

TEST(TranslatedTensor, HalvesOfAHeadBecomeNeighbours) {
  std::vector<float> rows(8);  // two heads of four rows, one column
  std::iota(rows.begin(), rows.end(), 0.0f);
  const Safetensors file = file_of("F32", {8, 1}, rows);
  const TranslatedTensor t{
      .how = Translated::kInterleaved, .parts = {file.find("t")}, .head_dim = 4, .element_bytes = 4};
  const std::vector<float> wanted = {0, 2, 1, 3, 4, 6, 5, 7};
  EXPECT_EQ(read<float>(file, t, 0, 8), wanted);
  for (std::size_t at = 0; at < 8; ++at)
    EXPECT_EQ(read<float>(file, t, at, 1), (std::vector<float>{wanted[at]}));
}

TEST(TranslatedTensor, TransposesWholeRows) {
  const Safetensors file = file_of("F32", {2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const TranslatedTensor t{.how = Translated::kTransposed, .parts = {file.find("t")}, .element_bytes = 4};
  EXPECT_EQ(read<float>(file, t, 0, 6), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(read<float>(file, t, 2, 2), (std::vector<float>{2, 5}));
}

TEST(TranslatedTensor, OneIsAddedInTheArithmeticOfTheStoredType) {
  const TranslatedTensor t{.how = Translated::kPlusOne, .parts = {}, .element_bytes = 2};
  const float w = 0.001f;
  const std::vector<uint16_t> half = {to_f16(w).bits}, brain = {to_bf16(w).bits};
  const Safetensors f16_file = file_of("F16", {1}, half), bf16_file = file_of("BF16", {1}, brain);
  TranslatedTensor a = t, b = t;
  a.parts = {f16_file.find("t")};
  b.parts = {bf16_file.find("t")};
  EXPECT_EQ(a.bytes(), sizeof(float));
  EXPECT_EQ(read<float>(f16_file, a, 0, 1)[0], to_float(to_f16(to_float(to_f16(w)) + 1)));
  EXPECT_EQ(read<float>(bf16_file, b, 0, 1)[0], to_float(to_bf16(w)) + 1);
}

}  // namespace
}  // namespace kelda::models
