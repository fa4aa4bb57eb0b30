// F32 matmul with AVX2.
#include "kernels/avx2/matmul_float.h"

namespace kelda::kernels::avx2 {
namespace {

struct F32 {
  static constexpr int kColumnBytes = 64;
  static inline __m256 load(const std::byte* p) { return _mm256_load_ps(reinterpret_cast<const float*>(p)); }
};

}  // namespace

namespace f32 {
const MatmulKernel& kernel() {
  static const MatmulKernel k = {"f32", matmul_float<F32>};
  return k;
}
}  // namespace f32
}  // namespace kelda::kernels::avx2
