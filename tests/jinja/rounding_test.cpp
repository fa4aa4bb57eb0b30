#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Rounding, GivesWhatJinja2Gives) { expect_golden("rounding"); }

}  // namespace
}  // namespace kelda::jinja
