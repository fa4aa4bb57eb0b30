#include "base/cpu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "base/error.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace kelda {
namespace {

// Sets KELDA_ISA for one test and puts back what was there.
class IsaVariable {
 public:
  explicit IsaVariable(const char* value) {
    if (const char* old = std::getenv("KELDA_ISA")) old_ = old;
    if (value) {
      ::setenv("KELDA_ISA", value, 1);
    } else {
      ::unsetenv("KELDA_ISA");
    }
  }
  ~IsaVariable() {
    if (old_) {
      ::setenv("KELDA_ISA", old_->c_str(), 1);
    } else {
      ::unsetenv("KELDA_ISA");
    }
  }

 private:
  std::optional<std::string> old_;
};

TEST(ChooseIsa, TakesTheBestThereIs) {
  const IsaVariable none(nullptr);
  const Isa best = available(Isa::kAvx512) ? Isa::kAvx512 : available(Isa::kAvx2) ? Isa::kAvx2 : Isa::kScalar;
  EXPECT_EQ(choose_isa(), best);
  const IsaVariable empty("");
  EXPECT_EQ(choose_isa(), best);
}

TEST(ChooseIsa, CanBeForced) {
  EXPECT_TRUE(available(Isa::kScalar));
  const IsaVariable scalar("scalar");
  EXPECT_EQ(choose_isa(), Isa::kScalar);
  for (const Isa isa : {Isa::kAvx2, Isa::kAvx512}) {
    const IsaVariable forced(std::string(name(isa)).c_str());
    if (available(isa)) {
      EXPECT_EQ(choose_isa(), isa);
    } else {
      EXPECT_THROW(choose_isa(), Error);
    }
  }
}

TEST(ChooseIsa, WhoHasAvx512HasAvx2) { EXPECT_TRUE(available(Isa::kAvx2) || !available(Isa::kAvx512)); }

TEST(ChooseIsa, UnknownNameIsRefusedWithTheKnownOnes) {
  const IsaVariable wrong("AVX2");
  try {
    choose_isa();
    FAIL() << "was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUsage);
    EXPECT_NE(std::string(e.what()).find("scalar, avx2, avx512"), std::string::npos) << e.what();
  }
}

TEST(UsableProcessors, IsAtLeastOneAndAtMostWhatTheMachineHas) {
  EXPECT_GE(usable_processors(), 1);
  EXPECT_LE(usable_processors(), 1 << 16);
}

#if defined(__x86_64__)
TEST(FloatEnvironment, SetsAndRestores) {
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(0xFFC0u);  // flush, and round toward zero
  {
    const FloatEnvironment environment;
    EXPECT_EQ(_mm_getcsr() & ~0x3Fu, 0x1F80u);
  }
  EXPECT_EQ(_mm_getcsr() & ~0x3Fu, 0xFFC0u);
  _mm_setcsr(saved);
}
#endif

}  // namespace
}  // namespace kelda
