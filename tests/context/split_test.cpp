#include "context/split.h"

#include "context/bytes.h"

namespace kelda::context {
namespace {

std::string paragraphs(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += "Paragraph " + std::to_string(100 + i) + " stands here.\n\n";
  return text;
}

Settings settings(bool question_first = false) {
  return {Policy::kSplit, Keep::kEnd, 100, question_first, 0.1};
}

TEST(Split, TheQuestionIsTheLastOrTheFirstParagraph) {
  const Given given = talk({{"system", "s"}, {"user", "one\n\ntwo\nlines\n\nthree\n"}});
  EXPECT_EQ(question_of(given, false).question, "three");
  EXPECT_EQ(question_of(given, false).document, "one\n\ntwo\nlines");
  EXPECT_EQ(question_of(given, true).question, "one");
  EXPECT_EQ(question_of(given, true).document, "two\nlines\n\nthree");
}

TEST(Split, NeedsOneLongMessageOfTheUser) {
  const auto refused = [](const Given& given, ErrorCode code, std::string_view says) {
    const std::string message = error_of(code, [&] { question_of(given, false); });
    EXPECT_TRUE(mentions(message, says)) << message;
  };
  refused(talk({{"user", "one paragraph\nof two lines"}}), ErrorCode::kBadInput, "no empty line");
  refused(talk({{"user", "  \n\n  "}}), ErrorCode::kBadInput, "no empty line");
  refused(talk({{"user", "a\n\nb"}, {"assistant", "c"}, {"user", "d\n\ne"}}), ErrorCode::kUsage,
          "one long message");
  refused(talk({{"system", "a\n\nb"}}), ErrorCode::kUsage, "one long message");
  refused(raw("a\n\nb"), ErrorCode::kUsage, "raw");
  refused(
      talk_of_json(R"({"messages": [{"role": "user", "content": [{"type": "text", "text": "a\n\nb"}]}]})"),
      ErrorCode::kUsage, "one long message");
}

TEST(Split, PiecesCoverTheTextAndOverlap) {
  const std::string text = paragraphs(50);
  const auto fits = [](std::string_view piece) { return piece.size() <= 200; };
  for (const double overlap : {0.0, 0.1, 0.3, 0.5}) {
    const auto pieces = pieces_of(text, overlap, fits);
    ASSERT_GT(pieces.size(), 5u);
    EXPECT_EQ(pieces.front().data(), text.data());
    EXPECT_EQ(pieces.back().data() + pieces.back().size(), text.data() + text.size());
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      const char* end = pieces[i - 1].data() + pieces[i - 1].size();
      EXPECT_GT(pieces[i].data(), pieces[i - 1].data());
      EXPECT_LE(pieces[i].size(), 200u);
      EXPECT_TRUE(pieces[i].starts_with("Paragraph") || overlap == 0.1) << pieces[i];
      if (overlap == 0.0) {
        EXPECT_EQ(pieces[i].data() - end, 2) << "an empty line between two pieces, not more";
      }
      if (overlap == 0.3) {
        EXPECT_LT(pieces[i].data(), end);
      }
      for (const char* at = end; at < pieces[i].data(); ++at) EXPECT_EQ(*at, '\n') << "nothing is left out";
    }
  }
  EXPECT_EQ(pieces_of("short", 0.1, fits), std::vector<std::string_view>{"short"});
  error_of(ErrorCode::kContextLength,
           [&] { pieces_of("short", 0.1, [](std::string_view) { return false; }); });
}

TEST(Split, AsksEachPieceAndThenWhatTheySay) {
  FakeModel model{.answer =
                      [](const std::string& prompt) {
                        return mentions(prompt, "Paragraph 117") ? "it is in 117" : "Nothing here.";
                      },
                  .window = 600};
  Means means = model.means();
  const Given given = talk({{"system", "sys"}, {"user", paragraphs(60) + "Where is it?"}});
  const Combined combined = split(given, settings(), means);
  EXPECT_EQ(static_cast<std::size_t>(combined.n_pieces), model.prompts.size());
  for (const std::string& prompt : model.prompts) {
    EXPECT_TRUE(prompt.starts_with("<system>sys</><user  >Part of a longer text:\n\nParagraph")) << prompt;
    EXPECT_TRUE(mentions(prompt, "\n\nWhere is it?\n")) << prompt;
  }
  const std::string last = rendered(combined.prompt);
  EXPECT_TRUE(mentions(last, "it is in 117\n\nWhere is it?</>")) << last;
  EXPECT_FALSE(mentions(last, "Nothing here")) << "who found nothing has nothing to say";
  EXPECT_EQ(rendered(combined.question), "<system>sys</><user  >Where is it?</><next>");
}

TEST(Split, WhereNoPieceTellsThatIsSaid) {
  FakeModel model{.answer = [](const std::string&) { return "Nothing here"; }, .window = 600};
  Means means = model.means();
  const Combined combined = split(talk({{"user", paragraphs(30) + "Where?"}}), settings(), means);
  EXPECT_TRUE(mentions(rendered(combined.prompt), "Nothing here.")) << rendered(combined.prompt);
}

TEST(Split, TooManyAnswersArePutTogetherFirst) {
  int n_pieces = 0, n_merges = 0;
  FakeModel model{.answer =
                      [&](const std::string& prompt) {
                        const bool piece = mentions(prompt, "Part of a longer text");
                        (piece ? n_pieces : n_merges) += 1;
                        return piece ? "found " + std::string(60, 'f') : "merged";
                      },
                  .window = 600};
  Means means = model.means();
  const Combined combined = split(talk({{"user", "Why?\n\n" + paragraphs(150)}}), settings(true), means);
  EXPECT_GT(n_pieces, 8);
  EXPECT_GT(n_merges, 1);
  EXPECT_EQ(combined.n_pieces, n_pieces);
  EXPECT_GT(combined.n_rounds, 0);
  EXPECT_EQ(combined.n_broken_off, 0);
  EXPECT_LE(count(combined.prompt), 600 - 100);
  EXPECT_TRUE(rendered(combined.prompt).starts_with("<user  >Why?\n\nWhat was found"))
      << rendered(combined.prompt);
  EXPECT_TRUE(model.prompts[0].starts_with("<user  >Why?\nIf this part")) << model.prompts[0];
}

TEST(Split, AnswersThatBreakOffAreCounted) {
  FakeModel model{.answer = [](const std::string&) { return std::string(500, 'w'); }, .window = 1200};
  Means means = model.means();
  const Combined combined = split(talk({{"user", paragraphs(60) + "Why?"}}), settings(), means);
  EXPECT_GT(combined.n_pieces, 1);
  EXPECT_GE(combined.n_broken_off, combined.n_pieces);
}

TEST(Split, AWindowThatIsTooSmallIsAnError) {
  FakeModel model{.window = 130};
  Means means = model.means();
  const std::string message = error_of(ErrorCode::kContextLength, [&] {
    split(talk({{"user", paragraphs(9) + "Why?"}}), settings(), means);
  });
  EXPECT_TRUE(mentions(message, "split")) << message;
}

}  // namespace
}  // namespace kelda::context
