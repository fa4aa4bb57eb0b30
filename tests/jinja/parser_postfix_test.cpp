#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(ParserPostfix, GivesWhatJinja2Gives) { expect_golden("parser_postfix"); }

}  // namespace
}  // namespace kelda::jinja
