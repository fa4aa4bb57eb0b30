#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(TypeTests, GivesWhatJinja2Gives) { expect_golden("tests_type"); }

}  // namespace
}  // namespace kelda::jinja
