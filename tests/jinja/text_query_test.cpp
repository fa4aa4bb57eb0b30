#include "jinja/text_query.h"

#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(TextQuery, CaseQuestionsNeedCasedCharacters) {
  EXPECT_TRUE(is_lower_case("a1é"));
  EXPECT_FALSE(is_lower_case("1"));
  EXPECT_FALSE(is_lower_case("aB"));
  EXPECT_TRUE(is_upper_case("A1"));
  EXPECT_TRUE(is_title_case("Ab Cd"));
  EXPECT_FALSE(is_title_case("AB"));
  EXPECT_FALSE(is_title_case(""));
}

TEST(TextQuery, ClassesFollowUnicode) {
  EXPECT_TRUE(all_are("٣5", CharClass::kDecimal));
  EXPECT_TRUE(all_are("²", CharClass::kDigit));
  EXPECT_FALSE(all_are("²", CharClass::kDecimal));
  EXPECT_TRUE(all_are("½四", CharClass::kNumeric));
  EXPECT_TRUE(is_all_alnum("a1²"));
  EXPECT_TRUE(is_python_identifier("é_1"));
  EXPECT_FALSE(is_python_identifier("1a"));
}

}  // namespace
}  // namespace kelda::jinja
