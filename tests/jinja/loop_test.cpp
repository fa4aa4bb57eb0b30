#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Loop, GivesWhatJinja2Gives) { expect_golden("loop"); }

}  // namespace
}  // namespace kelda::jinja
