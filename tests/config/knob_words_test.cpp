#include "config/knob_rows.h"

namespace kelda {
namespace {

TEST(KnobWords, AreDerivedFromTheRow) {
  EXPECT_EQ(flag_name("repetition_penalty"), "--repetition-penalty");
  EXPECT_EQ(range_text(kRatioRow), "(0, 1]");
  EXPECT_EQ(range_text(kFreeRow), "[0, ∞)");
  EXPECT_EQ(range_text(kTextRow), "");
  EXPECT_EQ(allowed_text(kCountRow), "an integer in [0, 2147483647]");
  EXPECT_EQ(allowed_text(kSeedRow), "-1 (random) or an integer in [0, 18446744073709551615]");
  EXPECT_EQ(allowed_text(kListRow), "a list of at most 3 texts of 1 to 8 bytes");
  EXPECT_EQ(allowed_text(kBiasRow), "a map of at most 3 token ids, each to a bias in [-100, 100]");
  EXPECT_EQ(allowed_text(kIdsRow), "a list of at most 3 token ids, none of them twice");
  EXPECT_EQ(range_text(kIdsRow), "");
  EXPECT_EQ(default_text(kIdsRow), "none");
  EXPECT_EQ(default_text(kSwitchRow), "false");
  EXPECT_EQ(default_text(kSeedRow), "random");
  EXPECT_EQ(default_text(kListRow), "none");
  EXPECT_EQ(default_text(kSignedRow), "-1");
}

TEST(KnobWords, ValuesAreWrittenAsTheyAreGiven) {
  EXPECT_EQ(value_text(0.7), "0.7");
  EXPECT_EQ(value_text(int64_t{5}), "5");
  EXPECT_EQ(value_text(true), "true");
  EXPECT_EQ(value_text(Seed{}), "random");
  EXPECT_EQ(value_text(Seed{7}), "7");
  EXPECT_EQ(value_text(std::string("a\n")), "\"a\\x0A\"");
  EXPECT_EQ(value_text(std::vector<std::string>{"a", "b c"}), "\"a\", \"b c\"");
  EXPECT_EQ(value_text(std::vector<std::string>{}), "none");
  EXPECT_EQ(value_text(TokenBias{{5, -100}, {6, 0.5}}), "5=-100,6=0.5");
  EXPECT_EQ(value_text(TokenIds{5, 3}), "5,3");
  EXPECT_EQ(value_text(TokenIds{}), "none");
}

}  // namespace
}  // namespace kelda
