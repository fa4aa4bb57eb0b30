#include "jinja/text_case.h"

#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

std::string mapped(std::string_view text, Case wanted) {
  const Environment environment;
  Runtime rt(environment);
  return map_case(rt, Text(std::string(text), Provenance::kInput), wanted).bytes();
}

TEST(TextCase, MapsCharactersThatBecomeSeveral) {
  EXPECT_EQ(mapped("straße ﬁ éǆ", Case::kUpper), "STRASSE FI ÉǄ");
  EXPECT_EQ(mapped("İ", Case::kLower), "i̇");
  EXPECT_EQ(mapped("ß", Case::kFold), "ss");
}

TEST(TextCase, ASigmaAtTheEndOfAWordIsFinal) { EXPECT_EQ(mapped("ΑΣ ΣΑΣ Σ", Case::kLower), "ας σας σ"); }

TEST(TextCase, LeavesIllFormedBytesAlone) { EXPECT_EQ(mapped("a\xFFz", Case::kUpper), "A\xFFZ"); }

TEST(TextCase, ALetterOfBothCasesIsSwappedWithItself) {
  EXPECT_EQ(text_of("{{ 'aB\u01C5\u00DF\u0130'.swapcase() }}"), "Ab\u01C5SSi\u0307");
}

}  // namespace
}  // namespace kelda::jinja
