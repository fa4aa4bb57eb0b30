#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(ContainerMethods, GivesWhatJinja2Gives) { expect_golden("methods_container"); }

}  // namespace
}  // namespace kelda::jinja
