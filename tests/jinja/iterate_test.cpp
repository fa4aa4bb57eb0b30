#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Iterate, GivesWhatJinja2Gives) { expect_golden("iterate"); }

}  // namespace
}  // namespace kelda::jinja
