#include "base/did_you_mean.h"

#include <gtest/gtest.h>

namespace kelda {
namespace {

constexpr std::string_view kNames[] = {"top_k", "top_p", "min_p", "temperature", "repetition_penalty",
                                       "seed",  "stop"};

TEST(DidYouMean, FindsSlips) {
  EXPECT_EQ(did_you_mean("temperatur", kNames), "temperature");
  EXPECT_EQ(did_you_mean("tempreature", kNames), "temperature");
  EXPECT_EQ(did_you_mean("Temperature", kNames), "temperature");
  EXPECT_EQ(did_you_mean("--top-k", kNames), "top_k");
  EXPECT_EQ(did_you_mean("topP", kNames), "top_p");
  EXPECT_EQ(did_you_mean("sede", kNames), "seed");
}

TEST(DidYouMean, DoesNotGuessWildly) {
  for (const std::string_view word :
       {"", "x", "mirostat", "n_probs", "grammar", "messages", "zzzzzzzzzzzzzzzzzz"}) {
    EXPECT_EQ(did_you_mean(word, kNames), "") << word;
  }
  EXPECT_EQ(did_you_mean(std::string(1000000, 't'), kNames), "");
}

}  // namespace
}  // namespace kelda
