#include "implementations.h"

namespace kelda::kernels {
namespace {

TEST(KernelTables, HaveEveryFunction) {
  std::vector<KernelTable> tables = {scalar_table()};
  if (available(Isa::kAvx2)) tables.push_back(avx2_table());
  for (const KernelTable& t : tables) {
    EXPECT_TRUE(t.matmul && t.is_native && t.quantize_row && t.rms_norm && t.layer_norm && t.add &&
                t.add_scaled && t.scale && t.softcap && t.gelu_mul && t.gelu && t.gelu_exact && t.silu_mul &&
                t.rope && t.attention && t.store_kv && t.argmax)
        << t.name;
  }
}

TEST(KernelTables, AreNamedAsTheInstructionSet) {
  EXPECT_EQ(scalar_table().name, name(Isa::kScalar));
  if (available(Isa::kAvx2)) {
    EXPECT_EQ(avx2_table().name, name(Isa::kAvx2));
  }
}

TEST(KernelTables, FallBackToTheReferenceMatmulAndSaySo) {
  for (const quant::FormatSpec* format : quant::formats()) {
    EXPECT_FALSE(scalar_table().is_native(*format)) << format->name;
    ASSERT_NE(scalar_table().matmul(*format), nullptr);
    if (!available(Isa::kAvx2)) continue;
    const KernelTable& fast = avx2_table();
    ASSERT_NE(fast.matmul(*format), nullptr) << format->name;
    EXPECT_EQ(fast.is_native(*format), fast.matmul(*format) != scalar_table().matmul(*format))
        << format->name;
  }
}

TEST(KernelTables, FastMatmulsAreForFormatsOfThisBuild) {
  for (const MatmulKernel* kernel : avx2::matmul_kernels()) {
    EXPECT_NE(quant::find_format(kernel->format), nullptr) << kernel->format;
    EXPECT_NE(kernel->run, nullptr) << kernel->format;
  }
}

}  // namespace
}  // namespace kelda::kernels
