#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(ParserExpressions, GivesWhatJinja2Gives) { expect_golden("parser_expressions"); }

}  // namespace
}  // namespace kelda::jinja
