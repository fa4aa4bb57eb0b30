#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(RuntimeOfTemplates, CountsWhatLivesAndOnlyThat) {
  const Environment environment;
  Runtime rt(environment);
  const std::size_t before = rt.budget().live_bytes();
  {
    const Value v = rt.list({rt.string(std::string(1000, 'x')), Value::integer(1)});
    EXPECT_GE(rt.budget().live_bytes(), before + 1000);
  }
  EXPECT_EQ(rt.budget().live_bytes(), before);
}

TEST(RuntimeOfTemplates, TruthIsPythons) {
  EXPECT_EQ(
      text_of("{{ [0, 1, 0.0, '', 'a', none, [], [0], {}, range(0), missing, dict().items(), "
              "[1]|map('string')]|map('default', 'N', true)|map('string')|map('length')|list|length }}"),
      "13");
  EXPECT_EQ(text_of("{% for v in [0, 1, 0.0, '', 'a', none, [], [0], {}, range(0), range(1), missing, "
                    "dict().items()] %}{{ 1 if v else 0 }}{% endfor %}"),
            "0100100100100");
}

}  // namespace
}  // namespace kelda::jinja
