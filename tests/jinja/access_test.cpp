#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Access, GivesWhatJinja2Gives) { expect_golden("access"); }

TEST(Access, SlicesAndItemsKeepWhoWroteThem) {
  EXPECT_EQ(marked("{{ ('ab' ~ m)[1:4] }}"), "‹b›IN");
  EXPECT_EQ(marked("{{ ('ab' ~ m)[::-1] }}"), "TUPNI‹ba›");
  EXPECT_EQ(marked("{{ m[0] }}{{ 'x'[0] }}"), "I‹x›");
}

TEST(Access, TheSandboxGivesNoInternals) {
  EXPECT_EQ(error_of("{{ ''.__class__.__mro__ }}"),
            "access to attribute '__class__' of 'str' object is unsafe.");
  EXPECT_EQ(error_of("{{ [].append(1) }}"), "access to attribute 'append' of 'list' object is unsafe.");
}

}  // namespace
}  // namespace kelda::jinja
