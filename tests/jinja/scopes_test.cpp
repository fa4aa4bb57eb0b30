#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Scopes, GivesWhatJinja2Gives) { expect_golden("scopes"); }

}  // namespace
}  // namespace kelda::jinja
