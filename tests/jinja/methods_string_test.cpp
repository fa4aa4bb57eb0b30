#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(StringMethods, GivesWhatJinja2Gives) { expect_golden("methods_string"); }

TEST(StringMethods, KeepWhoWroteWhat) {
  EXPECT_EQ(marked("{{ ('x,' ~ m).split(',')|join('|') }}"), "‹x|›INPUT");
  EXPECT_EQ(marked("{{ ('x ' ~ m).split()[0] }}{{ (' ' ~ m).strip() }}"), "‹x›INPUT");
  EXPECT_EQ(marked("{{ ('a' ~ m).upper() }}{{ m.replace('PUT', '') }}"), "‹A›INPUTIN");
  EXPECT_EQ(marked("{{ '-'.join([m, 'b']) }}{{ m.partition('P')[1] }}"), "INPUT‹-b›P");
  EXPECT_EQ(marked("{{ ('a\n' ~ m).splitlines()[1] }}{{ m.removeprefix('IN') }}"), "INPUTPUT");
}

}  // namespace
}  // namespace kelda::jinja
