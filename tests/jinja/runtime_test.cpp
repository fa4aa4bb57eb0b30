#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(RuntimeOfTemplates, CountsWhatLivesAndOnlyThat) {
  Environment environment;
  environment.limits.value_bytes = 10'000;
  Runtime rt(environment);
  {
    const Value v = rt.list({rt.string(std::string(1000, 'x'), Provenance::kInput), Value::integer(1)},
                            Provenance::kOwned);
    EXPECT_THROW(rt.budget().want(9'000), Failure);
  }
  EXPECT_NO_THROW(rt.budget().want(10'000));
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
