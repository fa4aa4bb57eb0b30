#include "jinja/names.h"

#include "jinja/parser.h"
#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Names, FindsWhatIsReadBeforeItIsAssigned) {
  const auto tree = parse("{{ a }}{% set b = 1 %}{{ b }}{% if c %}{{ d.a }}{% endif %}");
  Effort effort;
  EXPECT_EQ(undeclared(tree->body, {"a", "b", "c", "x"}, effort), (std::vector<std::string>{"a", "c"}));
}

TEST(Names, FindsAssignmentsInside) {
  const auto tree = parse("{% for x in y %}\n{% if 1 %}{% set z = 1 %}{% endif %}{% endfor %}");
  Effort effort;
  EXPECT_EQ(line_of_store(*tree->body[0], "z", effort), 2);
  EXPECT_EQ(line_of_store(*tree->body[0], "x", effort), 1);
  EXPECT_EQ(line_of_store(*tree->body[0], "y", effort), 0);
}

}  // namespace
}  // namespace kelda::jinja
