#include "context/means.h"

#include "context/bytes.h"

namespace kelda::context {
namespace {

TEST(Means, CountAndAddUp) {
  FakeModel model{.answer = [](const std::string&) { return "  words \n"; }, .window = 100};
  Means means = model.means();
  EXPECT_EQ(means.window(), 100);
  EXPECT_EQ(means.count(raw("12345")), 5);
  EXPECT_EQ(means.n_runs(), 0) << "counting costs nothing";
  EXPECT_EQ(means.write(raw("12345"), 20).text, "words");
  EXPECT_EQ(means.write(talk({{"user", "x"}}), 4).text, "wo");
  EXPECT_EQ(means.n_runs(), 2);
  EXPECT_EQ(means.usage().prompt_tokens, 5 + kAroundMessage + kGenerationPrompt + 1);
  EXPECT_EQ(means.usage().completion_tokens, 9 + 4);
  EXPECT_EQ(means.usage().passes, 9 + 4);
  EXPECT_EQ(means.usage().prefill_passes, 2);
  EXPECT_EQ(model.prompts, (std::vector<std::string>{"12345", "<user  >x</><next>"}));
}

}  // namespace
}  // namespace kelda::context
