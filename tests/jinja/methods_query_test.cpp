#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(QueryMethods, GivesWhatJinja2Gives) { expect_golden("methods_query"); }

}  // namespace
}  // namespace kelda::jinja
