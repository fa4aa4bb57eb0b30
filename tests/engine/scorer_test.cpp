#include "engine/scorer.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "base/rng.h"
#include "engine/tiny_llama.h"
#include "sampling/chain.h"

namespace kelda {
namespace {

using Tokens = std::vector<TokenId>;
struct Texts {
  Tokens context, continuation;
};

Tokens random_tokens(int64_t n, uint64_t stream) {
  Tokens ids;
  for (int64_t i = 0; i < n; ++i)
    ids.push_back(static_cast<TokenId>(3 + uniform({stream, 0, static_cast<uint32_t>(i)}, 0) * 256));
  return ids;
}

class ScorerTest : public ::testing::TestWithParam<const char*> {
 protected:
  ScorerTest() : model_(testing::tiny_llama(512, GetParam())), pool_(2) {}

  static std::vector<Scorer::Pair> views(const std::vector<Texts>& texts) {
    std::vector<Scorer::Pair> pairs;
    for (const Texts& t : texts) pairs.push_back({t.context, t.continuation});
    return pairs;
  }
  std::vector<Scorer::Score> score(const std::vector<Texts>& texts, Scorer::Options options = {},
                                   int64_t kv_tokens = 0, int64_t window = 0) {
    const int64_t room = kv_tokens > 0 ? kv_tokens : Scorer::cache_tokens(512);
    Runner runner(model_, {KvType::kF16, window, room}, pool_);
    std::vector<Scorer::Score> scores;
    {
      Scorer scorer(runner, options);
      const auto pairs = views(texts);
      scorer.score(pairs, [&](std::size_t i, const Scorer::Score& s) {
        EXPECT_EQ(i, scores.size());
        scores.push_back(s);
      });
      n_token_passes_ = runner.n_token_passes();
    }
    EXPECT_EQ(runner.cache().bytes_used(), 0u);
    return scores;
  }
  // Without anything shared: the whole text as one new sequence.
  Scorer::Score plain(const Texts& t) {
    Runner runner(model_, {}, pool_);
    Tokens whole = t.context;
    whole.insert(whole.end(), t.continuation.begin(), t.continuation.end());
    whole.pop_back();
    Scorer::Score out;
    runner.all_logits(whole, 512, [&](int64_t pos, std::span<const float> row) {
      const int64_t at = pos + 1 - static_cast<int64_t>(t.context.size());
      if (at < 0) return;
      const TokenId id = t.continuation[static_cast<std::size_t>(at)];
      out.logprobs.push_back(sampling::logprob(row, id));
      out.sum += out.logprobs.back();
      out.greedy = out.greedy && sampling::top_logprobs(row, 1)[0].id == id;
    });
    return out;
  }
  void expect_equal_bits(const std::vector<Scorer::Score>& scores, const std::vector<Texts>& texts) {
    ASSERT_EQ(scores.size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Scorer::Score expected = plain(texts[i]);
      EXPECT_EQ(std::memcmp(&scores[i].sum, &expected.sum, sizeof(double)), 0) << i;
      ASSERT_EQ(scores[i].logprobs.size(), texts[i].continuation.size());
      EXPECT_EQ(std::memcmp(scores[i].logprobs.data(), expected.logprobs.data(),
                            expected.logprobs.size() * sizeof(double)),
                0)
          << i;
      EXPECT_EQ(scores[i].greedy, expected.greedy) << i;
    }
  }
  // Contexts that are alike, that begin alike, and that are short and long; continuations likewise.
  std::vector<Texts> mixed() const {
    std::vector<Texts> texts;
    const Tokens shots = random_tokens(150, 1);
    for (uint64_t item = 0; item < 6; ++item) {
      Tokens context = item < 4 ? shots : Tokens{};
      const Tokens question = random_tokens(1 + 17 * static_cast<int64_t>(item), 10 + item);
      context.insert(context.end(), question.begin(), question.end());
      for (uint64_t choice = 0; choice < 3; ++choice)
        texts.push_back(
            {context, random_tokens(1 + static_cast<int64_t>(choice * item * 3), 100 + item * 8 + choice)});
    }
    texts.push_back({random_tokens(1, 7), random_tokens(300, 8)});  // longer than a pass has rows
    texts.push_back({random_tokens(400, 9), random_tokens(70, 10)});
    texts.push_back(texts[0]);
    return texts;
  }

  std::shared_ptr<const Model> model_;
  ThreadPool pool_;
  int64_t n_token_passes_ = 0;
};

TEST_P(ScorerTest, ScoresHaveTheBitsOfTheTextReadAlone) { expect_equal_bits(score(mixed()), mixed()); }

TEST_P(ScorerTest, NeitherBatchNorSharingNorRoomChangesABit) {
  const auto texts = mixed();
  expect_equal_bits(score(texts, {.batch_tokens = 1, .kept_contexts = 0}), texts);
  expect_equal_bits(score(texts, {.batch_tokens = 37, .kept_contexts = 1}), texts);
  expect_equal_bits(score(texts, {.batch_tokens = 4096, .kept_contexts = 100}), texts);
  expect_equal_bits(score(texts, {}, 1024), texts);  // of a cache that is soon full
}

TEST_P(ScorerTest, GreedyMeansEachTokenIsTheLikeliest) {
  const Tokens context = random_tokens(9, 3);
  Tokens next = context;
  for (int i = 0; i < 4; ++i) {
    Runner runner(model_, {}, pool_);
    TokenId best = -1;
    runner.all_logits(
        next, 64, [&](int64_t, std::span<const float> row) { best = sampling::top_logprobs(row, 1)[0].id; });
    next.push_back(best);
  }
  const Tokens greedy(next.end() - 4, next.end());
  Tokens other = greedy;
  other[2] = other[2] == 50 ? 51 : 50;
  const auto scores = score({{context, greedy}, {context, other}});
  EXPECT_TRUE(scores[0].greedy);
  EXPECT_FALSE(scores[1].greedy);
}

TEST_P(ScorerTest, AContextIsReadOnce) {
  const Tokens context = random_tokens(300, 3);
  std::vector<Texts> texts;
  for (uint64_t i = 0; i < 10; ++i) texts.push_back({context, random_tokens(5, 20 + i)});
  score(texts);
  EXPECT_EQ(n_token_passes_, 300 + 10 * 4);
  texts.push_back({random_tokens(20, 4), random_tokens(5, 50)});
  texts.push_back({context, random_tokens(1, 51)});  // not side by side: kept, but for its last token
  score(texts);
  EXPECT_EQ(n_token_passes_, 300 + 10 * 4 + 20 + 4 + 1);
}

TEST_P(ScorerTest, WhatContextsHaveInCommonIsReadOnce) {
  std::vector<Texts> texts;
  for (uint64_t i = 0; i < 5; ++i) {
    Tokens context = random_tokens(200, 3);
    for (const TokenId id : random_tokens(10, 60 + i)) context.push_back(id);
    texts.push_back({context, {9}});
  }
  score(texts);
  EXPECT_EQ(n_token_passes_, 200 + 5 * 10);
}

TEST_P(ScorerTest, FaultyPairsAreNamedBeforeAnythingIsRun) {
  const auto message = [&](std::vector<Texts> texts, ErrorCode code) {
    texts.insert(texts.begin(), {random_tokens(3, 1), random_tokens(3, 2)});
    try {
      score(texts, {}, 0, 64);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), code);
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message({{{}, {5}}}, ErrorCode::kBadInput), "pair 2: the context has no tokens");
  EXPECT_EQ(message({{{5}, {}}}, ErrorCode::kBadInput), "pair 2: the continuation has no tokens");
  EXPECT_NE(message({{{5}, {9999}}}, ErrorCode::kBadInput).find("pair 2: token id 9999"), std::string::npos);
  const std::string long_one =
      message({{random_tokens(60, 1), random_tokens(6, 2)}}, ErrorCode::kContextLength);
  for (const char* part : {"pair 2", "60", "6 tokens", "64"})
    EXPECT_NE(long_one.find(part), std::string::npos) << long_one;
  EXPECT_EQ(message({{random_tokens(60, 1), random_tokens(5, 2)}}, ErrorCode::kUsage), "no error");
}

TEST_P(ScorerTest, NothingIsAskedNothingIsTold) { EXPECT_TRUE(score({}).empty()); }

// gemma3 has layers that see a window of keys only.
INSTANTIATE_TEST_SUITE_P(Families, ScorerTest, ::testing::Values("llama", "gemma3"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace kelda
