#include "jinja/names.h"

#include "jinja/parser.h"
#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Names, FindsWhatIsReadBeforeItIsAssigned) {
  const auto tree = parse("{{ a }}{% set b = 1 %}{{ b }}{% if c %}{{ d.a }}{% endif %}");
  EXPECT_EQ(undeclared(tree->body, {"a", "b", "c", "x"}), (std::vector<std::string>{"a", "c"}));
}

TEST(Names, FindsAssignmentsInside) {
  const auto tree = parse("{% for x in y %}\n{% if 1 %}{% set z = 1 %}{% endif %}{% endfor %}");
  EXPECT_EQ(line_of_store(*tree->body[0], "z"), 2);
  EXPECT_EQ(line_of_store(*tree->body[0], "x"), 1);
  EXPECT_EQ(line_of_store(*tree->body[0], "y"), 0);
}

}  // namespace
}  // namespace kelda::jinja
