// BF16 matmul with AVX2.
#include "kernels/avx2/matmul_float.h"

namespace kelda::kernels::avx2 {
namespace {

struct BF16 {
  static constexpr int kColumnBytes = 32;
  static inline __m256 load(const std::byte* p) {
    const __m256i dwords = _mm256_cvtepu16_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(p)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(dwords, 16));
  }
};

}  // namespace

namespace bf16 {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"bf16", matmul_float<BF16>};
  return k;
}
}  // namespace bf16
}  // namespace kelda::kernels::avx2
