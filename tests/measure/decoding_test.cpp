#include "measure/decoding.h"

#include <gtest/gtest.h>

#include "calc/passes.h"
#include "measure/tiny_runner.h"

namespace kelda::measure {
namespace {

TEST(Decoding, WritesTheSameTokensWithAndWithoutACache) {
  testing::TinyRunner tiny;
  const auto prompt = some_tokens(5, tiny.runner->model().config().vocab_size, 1);
  const Decoding naive = decode_naive(*tiny.runner, prompt, 40, {});
  const Decoding cached = decode_cached(*tiny.runner, prompt, 40, {});
  ASSERT_EQ(naive.tokens.size(), 40u);
  EXPECT_EQ(naive.tokens, cached.tokens);
  EXPECT_GT(naive.seconds, 0);
}

TEST(Decoding, CountsThePassesThatTheFormulasGive) {
  testing::TinyRunner tiny;
  for (const int64_t n_prompt : {1, 9}) {
    const auto prompt = some_tokens(n_prompt, tiny.runner->model().config().vocab_size, 1);
    const Decoding naive = decode_naive(*tiny.runner, prompt, 50, {});
    const Decoding cached = decode_cached(*tiny.runner, prompt, 50, {});
    EXPECT_EQ(static_cast<uint64_t>(naive.n_token_passes), calc::naive_passes(n_prompt, 50).token_passes);
    EXPECT_EQ(static_cast<uint64_t>(cached.n_token_passes), calc::cached_passes(n_prompt, 50).token_passes);
    EXPECT_EQ(cached.n_passes, 50) << "one prefill and 49 decode steps";
    EXPECT_EQ(naive.n_passes, 50);
  }
}

TEST(Decoding, TellsItsProgressInTokenPasses) {
  testing::TinyRunner tiny;
  const auto prompt = some_tokens(3, tiny.runner->model().config().vocab_size, 1);
  for (const auto& decode : {decode_naive, decode_cached}) {
    int64_t last = 0, end = 0;
    const Decoding d = decode(*tiny.runner, prompt, 20, [&](int64_t done, int64_t total) {
      EXPECT_GT(done, last);
      last = done;
      end = total;
    });
    EXPECT_EQ(last, end);
    EXPECT_EQ(end, d.n_token_passes);
  }
}

}  // namespace
}  // namespace kelda::measure
