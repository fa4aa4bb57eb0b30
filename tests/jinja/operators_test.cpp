#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Operators, GivesWhatJinja2Gives) { expect_golden("operators"); }

TEST(Operators, KeepWhoWroteWhat) {
  EXPECT_EQ(marked("{{ 'a' + m + 'b' }}{{ m * 2 }}{{ 'c' * 2 }}"), "‹a›INPUT‹b›INPUTINPUT‹cc›");
  EXPECT_EQ(marked("{{ n + 1 }}{{ 1 + 1 }}{{ -n }}"), "43‹2›-42");
}

TEST(Operators, IntegersThatDoNotFitAreRefused) {
  for (const char* e : {"9223372036854775807 + 1", "-9223372036854775807 - 2", "2 ** 64", "10 ** 18 * 10",
                        "-(-9223372036854775807 - 1)", "(-9223372036854775807 - 1) // -1"}) {
    EXPECT_NE(error_of("{{ " + std::string(e) + " }}").find("64 bits"), std::string::npos) << e;
  }
  EXPECT_EQ(text_of("{{ (-9223372036854775807 - 1) % -1 }}"), "0");
}

}  // namespace
}  // namespace kelda::jinja
