#include "ops/attention.h"

#include <gtest/gtest.h>

#include "text_attention.h"

namespace kelda::ops {
namespace {

using test::attend;
using test::How;
using test::Shape;
using test::Text;

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

const kernels::KernelTable& best_table() { return kernels::table_of(choose_isa()); }

class LongText : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, LongText,
                         testing::Values(Shape{KvType::kF16, 1, 3, 64, 0}, Shape{KvType::kF16, 2, 1, 64, 100},
                                         Shape{KvType::kF32, 1, 8, 16, 0}, Shape{KvType::kF32, 1, 1, 80, 100},
                                         Shape{KvType::kF16, 1, 2, 128, 513},
                                         Shape{KvType::kF16, 1, 2, 64, 100, 1.5f}));

// 1,300 tokens: three splits, the last one short.
TEST_P(LongText, DoesNotDependOnChunksCompanyOrThreads) {
  const Text text(GetParam(), 1300, 1);
  const auto expected = attend({&best_table(), 1}, text, text.n);
  for (const float x : expected) ASSERT_TRUE(std::isfinite(x)) << "an unwritten slot came through";
  for (const int64_t chunk : {1, 7, 64, 500}) {
    EXPECT_TRUE(same(expected, attend({&best_table(), 1}, text, chunk))) << "chunks of " << chunk;
  }
  for (const int threads : {2, 3, 4}) {
    EXPECT_TRUE(same(expected, attend({&best_table(), threads}, text, text.n))) << threads << " threads";
  }
  EXPECT_TRUE(same(expected, attend({&best_table(), 3}, text, 100))) << "chunks on threads";
  EXPECT_TRUE(same(expected, attend({&best_table(), 1}, text, 5, true))) << "strangers";
  EXPECT_TRUE(same(expected, attend({&best_table(), 2}, text, 64, true))) << "strangers, threads";
}

// A text that is read as a whole: 1,300 tokens, then with others before and behind it in the same pass.
class WholeText : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, WholeText,
                         testing::Values(Shape{KvType::kF32, 12, 1, 32, 0, 0, false},
                                         Shape{KvType::kF16, 1, 2, 64, 0, 0, false}));

TEST_P(WholeText, DoesNotDependOnCompanyThreadsOrInstructionSet) {
  for (const int64_t n : {1, 63, 64, 65, 1300}) {
    const Text text(GetParam(), n, 11), other(GetParam(), 90, 12);
    const auto expected = attend({&best_table(), 1}, text, text.n);
    for (const float x : expected) ASSERT_TRUE(std::isfinite(x)) << "an unwritten slot came through";
    for (const int threads : {2, 3, 4}) {
      EXPECT_TRUE(same(expected, attend({&best_table(), threads}, text, text.n))) << threads << " threads";
      const How how{&best_table(), threads};
      ThreadPool pool(threads);
      KvCache cache(text.shape.kv(), 4000);
      test::poison(cache);
      AttentionWorkspace workspace;
      Sequence before(cache), mine(cache), after(cache);
      test::Rows rows;
      rows.add(other, before, 0, 70);
      rows.add(text, mine, 0, n);
      rows.add(other, after, 0, 3);
      const auto out = test::pass(how, pool, cache, rows, text, workspace);
      const auto cols = text.shape.q_cols();
      EXPECT_TRUE(same(expected, {out.begin() + 70 * cols, out.begin() + (70 + n) * cols})) << n << " tokens";
    }
    EXPECT_TRUE(same(expected, attend({&kernels::scalar_table(), 2}, text, text.n))) << n << " tokens";
  }
}

// The last token of a long text alone in a pass: keys are split over threads.
TEST_P(LongText, DecodingOnManyThreadsEqualsOne) {
  const Text text(GetParam(), 2100, 2);
  std::vector<float> results[2];
  for (const int threads : {1, 4}) {
    const How how{&best_table(), threads};
    ThreadPool pool(threads);
    KvCache cache(text.shape.kv(), text.n);
    test::poison(cache);
    AttentionWorkspace workspace;
    Sequence sequence(cache);
    test::Rows prompt, last;
    prompt.add(text, sequence, 0, text.n - 1);
    test::pass(how, pool, cache, prompt, text, workspace);
    sequence.advance(text.n - 1);
    last.add(text, sequence, text.n - 1, 1);
    results[threads > 1] = test::pass(how, pool, cache, last, text, workspace);
  }
  EXPECT_TRUE(same(results[0], results[1]));
}

class ShortText : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, ShortText,
                         testing::Values(Shape{KvType::kF16, 1, 3, 64, 0}, Shape{KvType::kF32, 1, 3, 64, 100},
                                         Shape{KvType::kF16, 1, 8, 16, 0}, Shape{KvType::kF16, 2, 1, 80, 0},
                                         Shape{KvType::kF32, 1, 1, 128, 0},
                                         Shape{KvType::kF32, 2, 1, 32, 0, 0, false}));

TEST_P(ShortText, InstructionSetsAgreeBitForBit) {
  if (!available(Isa::kAvx2)) GTEST_SKIP() << "this machine has no AVX2";
  const Text text(GetParam(), 580, 3);
  const auto reference = attend({&kernels::scalar_table(), 2}, text, text.n);
  for (const Isa isa : {Isa::kAvx2, Isa::kAvx512}) {
    if (!available(isa)) continue;
    EXPECT_TRUE(same(reference, attend({&kernels::table_of(isa), 1}, text, GetParam().causal ? 33 : text.n)))
        << name(isa);
  }
}

// Tolerance: values are N(0, 1), results at most that; float sums of 580 terms and 1e-7 exponentials stay
// below 3e-6.
TEST_P(ShortText, IsCloseToSoftmaxInDouble) {
  const Shape s = GetParam();
  const Text text(s, 580, 4);
  const auto got = attend({&best_table(), 1}, text, text.n);
  const auto cached = [&](float x) {
    return s.type == KvType::kF16 ? double{to_float(to_f16(x))} : double{x};
  };
  double worst = 0;
  for (int64_t t = 0; t < text.n; t += 29) {
    for (int64_t h = 0; h < s.n_heads(); ++h) {
      const float* q = text.q.data() + t * s.q_cols() + h * s.head_dim;
      const int64_t first = s.window == 0 ? 0 : std::max<int64_t>(0, t - s.window + 1);
      std::vector<double> out(static_cast<std::size_t>(s.head_dim), 0.0);
      double sum = 0;
      for (int64_t j = first; j <= (s.causal ? t : text.n - 1); ++j) {
        const auto at = static_cast<std::size_t>(j * s.kv_cols() + h / s.group * s.head_dim);
        double dot = 0;
        for (std::size_t d = 0; d < out.size(); ++d) dot += q[d] * cached(text.k[at + d]);
        const double p = std::exp(dot / std::sqrt(static_cast<double>(s.head_dim)));
        sum += p;
        for (std::size_t d = 0; d < out.size(); ++d) out[d] += p * cached(text.v[at + d]);
      }
      for (std::size_t d = 0; d < out.size(); ++d) {
        const auto at = static_cast<std::size_t>(t * s.q_cols() + h * s.head_dim) + d;
        worst = std::max(worst, std::abs(got[at] - out[d] / sum));
      }
    }
  }
  EXPECT_LT(worst, 3e-6);
}

TEST(Attention, FirstTokenIsItsOwnValue) {
  const Text text({KvType::kF32, 2, 2, 32, 0}, 1, 5);
  const auto out = attend({&best_table(), 2}, text, 1);
  for (int64_t h = 0; h < 4; ++h) {
    for (int64_t d = 0; d < 32; ++d) {
      EXPECT_EQ(out[static_cast<std::size_t>(h * 32 + d)], text.v[static_cast<std::size_t>(h / 2 * 32 + d)]);
    }
  }
}

TEST(Attention, ForksShareWhatTheyHaveInCommon) {
  const Text text({KvType::kF16, 1, 2, 32, 0}, 150, 6);
  const auto expected = attend({&best_table(), 1}, text, text.n);
  const How how{&best_table(), 1};
  ThreadPool pool(1);
  KvCache cache(text.shape.kv(), 1000);
  test::poison(cache);
  AttentionWorkspace workspace;
  Sequence parent(cache);
  test::Rows prompt;
  prompt.add(text, parent, 0, 100);
  test::pass(how, pool, cache, prompt, text, workspace);
  parent.advance(100);
  Sequence child = parent.fork();
  // The parent goes on with something else, in the block that both share.
  const Text other(text.shape, 150, 7);
  test::Rows elsewhere;
  elsewhere.add(other, parent, 100, 50);
  test::pass(how, pool, cache, elsewhere, text, workspace);
  parent.advance(50);
  test::Rows rest;
  rest.add(text, child, 100, 50);
  const auto out = test::pass(how, pool, cache, rest, text, workspace);
  EXPECT_TRUE(same(out, {expected.begin() + 100 * text.shape.q_cols(), expected.end()}));
}

TEST(AttentionWorkspace, GrowsAndKeepsWhatItHas) {
  AttentionWorkspace workspace;
  std::byte* first = workspace.reserve(10000);
  EXPECT_GE(workspace.bytes(), 10000u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0u);
  EXPECT_EQ(workspace.reserve(5000), first);
  workspace.reserve(10001);
  EXPECT_GE(workspace.bytes(), 20000u);
}

TEST(AttentionDeathTest, AWindowOnBothSidesIsABug) {
  ThreadPool pool(1);
  Exec exec{pool, kernels::scalar_table()};
  KvCache cache({KvType::kF32, 1, 16, {8}, false}, 64);
  AttentionWorkspace workspace;
  std::vector<float> x(16);
  EXPECT_DEATH(attention(exec, cache.layer(0), {}, 1, 1.0f, Matrix<float>(x.data(), 1, 16), workspace,
                         Matrix<float>(x.data(), 1, 16)),
               "kv.causal");
}

TEST(AttentionDeathTest, ShapesThatDoNotFitAreABug) {
  ThreadPool pool(1);
  Exec exec{pool, kernels::scalar_table()};
  KvCache cache({KvType::kF32, 2, 16, {0}}, 64);
  AttentionWorkspace workspace;
  std::vector<float> x(96);
  EXPECT_DEATH(attention(exec, cache.layer(0), {}, 3, 1.0f, Matrix<float>(x.data(), 1, 48), workspace,
                         Matrix<float>(x.data(), 1, 48)),
               "n_heads % kv.n_kv_heads == 0");
}

}  // namespace
}  // namespace kelda::ops
