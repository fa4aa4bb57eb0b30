#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(CompareTests, GivesWhatJinja2Gives) { expect_golden("tests_compare"); }

}  // namespace
}  // namespace kelda::jinja
