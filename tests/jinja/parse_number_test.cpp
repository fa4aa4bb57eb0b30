#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(ParseNumber, GivesWhatJinja2Gives) { expect_golden("parse_number"); }

TEST(ParseNumber, KnowsTheFiveSetsOfMathematicalDigits) {
  EXPECT_EQ(text_of("{{ '𝟎𝟗𝟘𝟡𝟢𝟫𝟬𝟵𝟶𝟿'|int }} {{ '٣'|int }} {{ '９.𝟻'|float }}"), "909090909 3 9.5");
}

}  // namespace
}  // namespace kelda::jinja
