#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(AttributePath, GivesWhatJinja2Gives) { expect_golden("attribute_path"); }

}  // namespace
}  // namespace kelda::jinja
