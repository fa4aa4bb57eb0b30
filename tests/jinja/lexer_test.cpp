#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Lexer, GivesWhatJinja2Gives) { expect_golden("lexer"); }

}  // namespace
}  // namespace kelda::jinja
