#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(ShapeMethods, GivesWhatJinja2Gives) { expect_golden("methods_shape"); }

TEST(ShapeMethods, KeepWhoWroteWhat) {
  EXPECT_EQ(marked("{{ m.rjust(7) }}{{ m.ljust(6, '*') }}{{ 'a'.rjust(3, m) }}", R"({"m": "I"})"),
            "‹      ›II‹*****›II‹a›");
  EXPECT_EQ(marked("{{ m.zfill(4) }}", R"({"m": "-5"})"), "-‹00›5");
}

}  // namespace
}  // namespace kelda::jinja
