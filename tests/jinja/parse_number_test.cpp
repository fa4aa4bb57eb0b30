#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(ParseNumber, GivesWhatJinja2Gives) { expect_golden("parse_number"); }

}  // namespace
}  // namespace kelda::jinja
