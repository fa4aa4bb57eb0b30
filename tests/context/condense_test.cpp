#include "context/condense.h"

#include "context/bytes.h"

namespace kelda::context {
namespace {

TEST(Condense, AsksOnceWhereItCan) {
  FakeModel model{.window = 1000};
  Means means = model.means();
  const Summary summary = condense(talk({{"user", "x"}}), "", "User: the text", 100, means);
  EXPECT_EQ(summary.text, "noted");
  EXPECT_TRUE(summary.ended);
  ASSERT_EQ(model.prompts.size(), 1u);
  EXPECT_TRUE(mentions(model.prompts[0], "User: the text")) << model.prompts[0];
  EXPECT_TRUE(model.prompts[0].starts_with("<user  >Summarize")) << model.prompts[0];
}

TEST(Condense, WhatWasCondensedEarlierComesBeforeTheText) {
  FakeModel model{.window = 1000};
  Means means = model.means();
  condense(raw("x"), "the earlier one", "the later one", 100, means);
  const std::string& prompt = model.prompts.at(0);
  EXPECT_LT(prompt.find("the earlier one"), prompt.find("the later one"));
  EXPECT_TRUE(prompt.starts_with("Summarize")) << "a raw prompt is asked without a template";
}

TEST(Condense, ALongTextIsReadInPieces) {
  int n = 0;
  FakeModel model{.answer = [&](const std::string&) { return "summary " + std::to_string(++n); },
                  .window = 600};
  std::string text;
  for (int i = 0; i < 60; ++i) text += "Paragraph number " + std::to_string(100 + i) + " is here.\n\n";
  Means means = model.means();
  const Summary summary = condense(talk({{"user", "x"}}), "", text, 100, means);
  EXPECT_EQ(summary.text, "summary " + std::to_string(n));
  ASSERT_GT(n, 3);
  for (int i = 0; i < 60; ++i) {
    const std::string paragraph = "Paragraph number " + std::to_string(100 + i) + " is here.";
    EXPECT_EQ(std::count_if(model.prompts.begin(), model.prompts.end(),
                            [&](const std::string& p) { return mentions(p, paragraph); }),
              1)
        << paragraph;
  }
  for (int i = 1; i < n; ++i)
    EXPECT_TRUE(mentions(model.prompts[static_cast<std::size_t>(i)], "summary " + std::to_string(i)));
}

TEST(Condense, NothingWrittenLeavesWhatWasThere) {
  FakeModel model{.answer = [](const std::string&) { return ""; }, .window = 1000};
  Means means = model.means();
  EXPECT_EQ(condense(raw("x"), "", "the text", 100, means).text, "");
  const Summary summary = condense(raw("x"), "earlier", "the text", 100, means);
  EXPECT_EQ(summary.text, "earlier");
  EXPECT_EQ(summary.n_pieces, 1);
  EXPECT_EQ(summary.n_unwritten, 1);
}

TEST(Condense, ASummaryThatBreaksOffIsKnown) {
  FakeModel model{.answer = [](const std::string&) { return std::string(500, 'w'); }, .window = 1000};
  Means means = model.means();
  const Summary summary = condense(raw("x"), "", "the text", 100, means);
  EXPECT_EQ(summary.text.size(), 100u);
  EXPECT_FALSE(summary.ended);
}

TEST(Condense, AWindowWithoutRoomIsAnError) {
  FakeModel model{.window = 120};
  Means means = model.means();
  EXPECT_TRUE(
      mentions(error_of(ErrorCode::kContextLength, [&] { condense(raw("x"), "", "text", 30, means); }),
               "the window of 120"));
}

TEST(WithSummary, StandsWhereSomethingIsMissing) {
  const Given given = talk({{"system", "s"}, {"user", "kept"}, {"assistant", "a"}, {"user", "q"}});
  const std::string front = rendered(with_summary(given, "SUM", {}));
  EXPECT_TRUE(mentions(front,
                       "<system>s</><user  >[Summary, written by the model, of a part that does not "
                       "fit:\nSUM]\n\nkept</>"))
      << front;
  const std::string behind = rendered(with_summary(given, "SUM", TextPlace{3}));
  EXPECT_TRUE(mentions(behind, "<user  >q\n\n[Summary")) << behind;
  EXPECT_TRUE(rendered(with_summary(raw("kept"), "SUM", {})).ends_with("SUM]\n\nkept"));
  EXPECT_TRUE(rendered(with_summary(raw("kept"), "SUM", TextPlace{})).starts_with("kept\n\n[Summary"));
}

}  // namespace
}  // namespace kelda::context
