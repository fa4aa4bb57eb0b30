#include "implementations.h"

namespace kelda::kernels {
namespace {

TEST(KernelTables, HaveEveryFunction) {
  for (const Isa isa : kIsas) {
    if (!available(isa)) continue;
    const KernelTable& t = table_of(isa);
    EXPECT_TRUE(t.matmul && t.is_native && t.quantize_row && t.rms_norm && t.layer_norm && t.add &&
                t.add_scaled && t.scale && t.softcap && t.gelu_mul && t.gelu && t.gelu_exact && t.silu_mul &&
                t.rope && t.attention && t.store_kv && t.argmax)
        << t.name;
  }
}

TEST(KernelTables, AreNamedAsTheInstructionSet) {
  for (const Isa isa : kIsas) {
    if (!available(isa)) continue;
    EXPECT_EQ(table_of(isa).name, name(isa));
  }
}

TEST(KernelTables, FallBackToTheReferenceMatmulAndSaySo) {
  for (const quant::FormatSpec* format : quant::formats()) {
    EXPECT_FALSE(scalar_table().is_native(*format)) << format->name;
    ASSERT_NE(scalar_table().matmul(*format), nullptr);
    for (const Isa isa : kIsas) {
      if (!available(isa)) continue;
      const KernelTable& fast = table_of(isa);
      ASSERT_NE(fast.matmul(*format), nullptr) << format->name << " " << fast.name;
      EXPECT_EQ(fast.is_native(*format), fast.matmul(*format) != scalar_table().matmul(*format))
          << format->name << " " << fast.name;
    }
  }
}

TEST(KernelTables, FastMatmulsAreForFormatsOfThisBuild) {
  for (const auto kernels : {avx2::matmul_kernels(), avx512::matmul_kernels()}) {
    for (const MatmulKernel* kernel : kernels) {
      EXPECT_NE(quant::find_format(kernel->format), nullptr) << kernel->format;
      EXPECT_NE(kernel->run, nullptr) << kernel->format;
    }
  }
}

}  // namespace
}  // namespace kelda::kernels
