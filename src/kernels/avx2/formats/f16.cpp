// F16 matmul with AVX2.
#include "kernels/avx2/matmul_float.h"

namespace kelda::kernels::avx2 {
namespace {

struct F16 {
  static constexpr int kColumnBytes = 32;
  static inline __m256 load(const std::byte* p) {
    return _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(p)));
  }
};

}  // namespace

namespace f16 {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"f16", matmul_float<F16>};
  return k;
}
}  // namespace f16
}  // namespace kelda::kernels::avx2
