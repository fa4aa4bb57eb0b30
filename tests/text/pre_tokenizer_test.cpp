#include "text/pre_tokenizer.h"

#include <gtest/gtest.h>

#include <chrono>

namespace kelda::text {
namespace {

using Pieces = std::vector<std::string>;

Pieces cut(std::vector<PreTokenizerStep> steps, std::string_view text, bool at_start = true) {
  const PreTokenizer p(std::move(steps));
  Pieces out;
  PreTokenizer::Cutter cutter(p);
  cutter.cut(text, at_start, [&](std::string_view piece) { out.emplace_back(piece); });
  return out;
}

Pieces cut(std::string_view pattern, Behavior behavior, bool invert, std::string_view text) {
  return cut({split(pattern, behavior, invert)}, text);
}

TEST(PreTokenizer, EachBehaviorHasItsWayWithTheMatches) {
  const std::string_view text = "a--b-c";
  EXPECT_EQ(cut("-", Behavior::kIsolated, false, text), (Pieces{"a", "-", "-", "b", "-", "c"}));
  EXPECT_EQ(cut("-", Behavior::kRemoved, false, text), (Pieces{"a", "b", "c"}));
  EXPECT_EQ(cut("-", Behavior::kMergedWithPrevious, false, text), (Pieces{"a-", "-", "b-", "c"}));
  EXPECT_EQ(cut("-", Behavior::kMergedWithNext, false, text), (Pieces{"a", "-", "-b", "-c"}));
  EXPECT_EQ(cut("-", Behavior::kContiguous, false, text), (Pieces{"a", "--", "b", "-", "c"}));
  EXPECT_EQ(cut("-", Behavior::kRemoved, true, text), (Pieces{"-", "-", "-"}));
}

TEST(PreTokenizer, EmptyMatchesCutAndTakeNothing) {
  EXPECT_EQ(cut("(?=[A-Z])", Behavior::kIsolated, false, "fooBarBaz"), (Pieces{"foo", "Bar", "Baz"}));
  EXPECT_EQ(cut("(?=[A-Z])", Behavior::kRemoved, false, "fooBar"), (Pieces{"foo", "Bar"}));
  EXPECT_EQ(cut("x*", Behavior::kIsolated, false, "éxx中"), (Pieces{"é", "xx", "中"}));
}

TEST(PreTokenizer, EachStepSeesAPieceAlone) {
  EXPECT_EQ(cut({split("[0-9]"), split(R"(\s+(?!\S)|\s+)")}, "a  1"), (Pieces{"a", "  ", "1"}));
}

TEST(PreTokenizer, MarksStandForBlanksAndBeginAText) {
  using enum Metaspace::Prepend;
  EXPECT_EQ(cut({Metaspace{"_", kAlways}}, "a b"), (Pieces{"_a_b"}));
  EXPECT_EQ(cut({Metaspace{"_", kAlways}}, " a"), (Pieces{"_a"}));
  EXPECT_EQ(cut({Metaspace{"_", kNever}}, "a b"), (Pieces{"a_b"}));
  EXPECT_EQ(cut({Metaspace{"_", kFirst}}, "a", true), (Pieces{"_a"}));
  EXPECT_EQ(cut({Metaspace{"_", kFirst}}, "a", false), (Pieces{"a"}));
}

TEST(PreTokenizer, BytesMayBecomeCharactersAndABlankMayComeBefore) {
  EXPECT_EQ(cut({split("-"), PrefixBlank{}, MapBytes{}}, "a- é"), (Pieces{"Ġa", "Ġ-", "ĠÃ©"}));
}

TEST(PreTokenizer, NothingGivesNothing) {
  EXPECT_EQ(cut({split("a")}, ""), (Pieces{}));
  EXPECT_EQ(cut({}, "ab"), (Pieces{"ab"}));
}

}  // namespace
}  // namespace kelda::text
