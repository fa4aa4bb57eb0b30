#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Macro, GivesWhatJinja2Gives) { expect_golden("macro"); }

}  // namespace
}  // namespace kelda::jinja
