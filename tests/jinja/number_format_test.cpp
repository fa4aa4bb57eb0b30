#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(NumberFormat, GivesWhatJinja2Gives) { expect_golden("number_format"); }

}  // namespace
}  // namespace kelda::jinja
