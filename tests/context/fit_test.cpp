#include "context/fit.h"

#include <fmt/format.h>

#include "base/rng.h"
#include "context/bytes.h"

namespace kelda::context {
namespace {

constexpr int64_t kWindow = 800, kRoom = 100;

Settings with(Policy policy, Keep keep = Keep::kEnd) { return {policy, keep, kRoom, false, 0.1}; }

Fitted fitted(const Given& given, const Settings& settings, FakeModel& model, const Digest& before = {}) {
  model.window = kWindow;
  Means means = model.means();
  return fit(given, settings, means, before);
}
Fitted fitted(const Given& given, const Settings& settings) {
  FakeModel model;
  return fitted(given, settings, model);
}

void expect_to_add_up(const Fitted& f, const Given& given) {
  EXPECT_EQ(f.given, count(given));
  EXPECT_EQ(f.given, f.kept + f.dropped + f.summarised);
  EXPECT_EQ(static_cast<int64_t>(f.prompt.size()), f.kept + f.added);
  for (const int64_t n : {f.kept, f.dropped, f.summarised, f.added, f.n_runs}) EXPECT_GE(n, 0);
}

// `n` turns of the user and the assistant and a question.
Given long_talk(int n, const std::string& question = "last question") {
  std::vector<chat::Message> messages = {{"system", "sys"}};
  for (int i = 0; i < n; ++i) {
    messages.push_back({"user", "question " + std::to_string(i)});
    messages.push_back({"assistant", "answer " + std::to_string(i)});
  }
  messages.push_back({"user", question});
  return talk(messages);
}

TEST(Fit, WhatFitsIsLeftAlone) {
  const Given given = long_talk(3);
  for (const Policy policy : {Policy::kRefuse, Policy::kTruncate, Policy::kSummarize, Policy::kSplit}) {
    const Fitted f = fitted(given, with(policy));
    EXPECT_EQ(f.prompt, ids_of(given, byte_tokenizer()));
    EXPECT_TRUE(f.notices.empty());
    EXPECT_EQ(f.kept, f.given);
    expect_to_add_up(f, given);
  }
}

TEST(Fit, TheBorderIsTheWindowLessTheRoom) {
  const auto of_tokens = [](int64_t n) {
    return talk(
        {{"user", "old"}, {"assistant", ""}, {"user", std::string(static_cast<std::size_t>(n), 'x')}});
  };
  const int64_t around = 3 * kAroundMessage + kGenerationPrompt + 3, most = kWindow - kRoom - around;
  EXPECT_EQ(fitted(of_tokens(most), with(Policy::kTruncate)).dropped, 0);
  EXPECT_EQ(fitted(of_tokens(most + 1), with(Policy::kTruncate)).dropped, 2 * kAroundMessage + 3);
  Settings only_read = with(Policy::kTruncate);
  only_read.room = 0;
  EXPECT_EQ(fitted(of_tokens(kWindow - around), only_read).dropped, 0) << "all of the window";
  EXPECT_GT(fitted(of_tokens(kWindow - around + 1), only_read).dropped, 0);
  only_read.room = 1;
  EXPECT_EQ(fitted(of_tokens(kWindow - around - 1), only_read).dropped, 0) << "the window less one token";
}

TEST(Fit, RefusingIsLeftToTheEngine) {
  const Given given = long_talk(100);
  const Fitted f = fitted(given, with(Policy::kRefuse));
  EXPECT_EQ(f.prompt.size(), static_cast<std::size_t>(count(given)));
  EXPECT_GT(f.given, kWindow);
}

TEST(Fit, TruncatingKeepsTheSystemMessageAndTheLatest) {
  const Given given = long_talk(40);
  const Fitted f = fitted(given, with(Policy::kTruncate));
  const std::string text = text_of(f.prompt);
  EXPECT_TRUE(text.starts_with("<system>sys</><user  >question"));
  EXPECT_TRUE(text.ends_with("<user  >last question</><next>"));
  EXPECT_EQ(f.added, 0);
  EXPECT_EQ(f.n_runs, 0);
  EXPECT_LE(static_cast<int64_t>(f.prompt.size()), kWindow - kRoom);
  ASSERT_EQ(f.notices.size(), 1u);
  EXPECT_EQ(f.notices[0],
            fmt::format("context_policy truncate: dropped the {} oldest turns; kept {} of {} tokens",
                        f.n_turns, f.kept, f.given));
  expect_to_add_up(f, given);
}

TEST(Fit, WhereThePolicyCannotHelpAllCountsAreTold) {
  const Given given = talk({{"system", std::string(900, 's')}, {"user", "hi"}});
  for (const Policy policy : {Policy::kTruncate, Policy::kSummarize}) {
    const std::string message = error_of(ErrorCode::kContextLength, [&] { fitted(given, with(policy)); });
    for (const std::string& part : {fmt::format("{} tokens", count(given)), std::string("window is 800"),
                                    std::string("100 are left"), std::string(name(policy))})
      EXPECT_TRUE(mentions(message, part)) << message;
  }
}

TEST(Fit, SummarisingPutsTheModelsWordsInPlaceOfTheTurns) {
  FakeModel model;
  const Given given = long_talk(40);
  const Fitted f = fitted(given, with(Policy::kSummarize), model);
  const std::string text = text_of(f.prompt);
  EXPECT_TRUE(text.starts_with("<system>sys</><user  >[Summary, written by the model")) << text;
  EXPECT_TRUE(mentions(text, "noted]")) << text;
  EXPECT_TRUE(text.ends_with("<user  >last question</><next>"));
  EXPECT_GT(f.summarised, 0);
  EXPECT_GT(f.added, 0);
  EXPECT_EQ(f.dropped, 0);
  EXPECT_EQ(f.n_runs, static_cast<int64_t>(model.prompts.size()));
  EXPECT_GT(f.n_runs, 1) << "more than fits one run";
  int64_t n_prompt_tokens = 0;
  for (const std::string& prompt : model.prompts) n_prompt_tokens += static_cast<int64_t>(prompt.size());
  EXPECT_EQ(f.usage.prompt_tokens, n_prompt_tokens);
  EXPECT_EQ(f.usage.completion_tokens, 5 * f.n_runs);
  expect_to_add_up(f, given);
}

TEST(Fit, ASummaryTakesAtMostAQuarterOfTheWindow) {
  FakeModel model{.answer = [](const std::string&) { return std::string(5000, 'Z'); }};
  const Given given = long_talk(40);
  const Fitted f = fitted(given, with(Policy::kSummarize), model);
  const std::string text = text_of(f.prompt);
  EXPECT_EQ(std::count(text.begin(), text.end(), 'Z'), kWindow / 4);
  EXPECT_LE(static_cast<int64_t>(f.prompt.size()), kWindow - kRoom);
  EXPECT_TRUE(mentions(f.notices[0], "breaks off"));
}

TEST(Fit, WithoutASummaryTheTurnsAreDropped) {
  FakeModel model{.answer = [](const std::string&) { return " \n"; }};
  const Given given = long_talk(40);
  const Fitted f = fitted(given, with(Policy::kSummarize), model);
  EXPECT_EQ(f.summarised, 0);
  EXPECT_GT(f.dropped, 0);
  EXPECT_EQ(f.added, 0);
  EXPECT_FALSE(mentions(text_of(f.prompt), "[Summary"));
  EXPECT_TRUE(mentions(f.notices[0], "no summary"));
  expect_to_add_up(f, given);
}

TEST(Fit, ASummaryIsKeptForTheConversationThatGoesOn) {
  FakeModel model{.answer = [](const std::string&) { return "first summary"; }};
  const Fitted first = fitted(long_talk(20), with(Policy::kSummarize), model);
  EXPECT_EQ(first.digest.text, "first summary");
  EXPECT_EQ(first.digest.n_messages, 2 * first.n_turns);
  model.prompts.clear();
  model.answer = [](const std::string&) { return "second summary"; };
  const Given longer = long_talk(21);
  const Fitted second = fitted(longer, with(Policy::kSummarize), model, first.digest);
  EXPECT_TRUE(model.prompts.empty()) << "there is room yet: nothing is read again";
  EXPECT_TRUE(mentions(text_of(second.prompt), "first summary"));
  EXPECT_EQ(second.n_turns, first.n_turns);
  EXPECT_TRUE(mentions(second.notices.at(0), "stands for the")) << second.notices[0];
  expect_to_add_up(second, longer);

  const Given longest = long_talk(40);
  const Fitted third = fitted(longest, with(Policy::kSummarize), model, second.digest);
  ASSERT_FALSE(model.prompts.empty());
  EXPECT_TRUE(mentions(model.prompts[0], "first summary"));
  EXPECT_FALSE(mentions(model.prompts[0], "question 0\n")) << "what is condensed already is not read again";
  EXPECT_EQ(third.digest.text, "second summary");
  EXPECT_EQ(third.digest.n_messages, 2 * third.n_turns);
  expect_to_add_up(third, longest);
}

TEST(Fit, WhatTheModelWroteNothingOfIsDroppedBesideAnEarlierSummary) {
  FakeModel model{.answer = [](const std::string&) { return "first summary"; }};
  const Fitted first = fitted(long_talk(20), with(Policy::kSummarize), model);
  model.answer = [](const std::string&) { return ""; };
  const Given longer = long_talk(40);
  const Fitted second = fitted(longer, with(Policy::kSummarize), model, first.digest);
  EXPECT_TRUE(mentions(text_of(second.prompt), "first summary"));
  EXPECT_EQ(second.summarised, first.summarised) << "the same turns as before, and no more";
  EXPECT_GT(second.dropped, 0);
  EXPECT_TRUE(mentions(second.notices.at(0), "dropped the ")) << second.notices[0];
  EXPECT_TRUE(mentions(second.notices[0], "no summary of it beside that of before")) << second.notices[0];
  EXPECT_EQ(second.digest.n_messages, first.digest.n_messages) << "the others may be asked about again";
  EXPECT_EQ(second.digest.text, first.digest.text);
  expect_to_add_up(second, longer);
}

TEST(Fit, PiecesWithoutASummaryAreToldAndNotTakenForCondensed) {
  int n = 0;
  FakeModel model{.answer = [&](const std::string&) { return ++n == 1 ? "of the first piece" : ""; }};
  const Given given = long_talk(80);
  const Fitted f = fitted(given, with(Policy::kSummarize), model);
  ASSERT_GT(n, 1);
  EXPECT_TRUE(
      mentions(f.notices.at(0), fmt::format("; of {} of {} pieces the model wrote nothing", n - 1, n)))
      << f.notices[0];
  EXPECT_EQ(f.digest.n_messages, 0u);
  expect_to_add_up(f, given);
}

TEST(Fit, ASummaryCannotSpellSpecialTokens) {
  Given given = raw("a");
  given.special = text::Special::kParse;
  EXPECT_TRUE(mentions(error_of(ErrorCode::kUsage, [&] { fitted(given, with(Policy::kSummarize)); }),
                       "special tokens in a raw prompt"));
}

TEST(Fit, ADigestThatIsOfNoWholeTurnsIsNotUsed) {
  FakeModel model;
  const Fitted f = fitted(long_talk(40), with(Policy::kSummarize), model, {3, "of a turn and a half"});
  for (const std::string& prompt : model.prompts) EXPECT_FALSE(mentions(prompt, "of a turn and a half"));
  EXPECT_FALSE(mentions(text_of(f.prompt), "of a turn and a half"));
}

TEST(Fit, ALongMessageIsCutOrCondensedToo) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "Paragraph " + std::to_string(100 + i) + ".\n\n";
  for (const Given& given : {talk({{"user", text + "Why?"}}), raw(text + "Why?")}) {
    const Fitted cut = fitted(given, with(Policy::kTruncate));
    EXPECT_TRUE(cut.cut);
    EXPECT_TRUE(mentions(text_of(cut.prompt), "Paragraph 159.\n\nWhy?"));
    EXPECT_FALSE(mentions(text_of(cut.prompt), "Paragraph 100."));
    EXPECT_TRUE(mentions(cut.notices[0], "(cut at a paragraph)")) << cut.notices[0];
    const Fitted start = fitted(given, with(Policy::kTruncate, Keep::kStart));
    EXPECT_TRUE(mentions(text_of(start.prompt), "Paragraph 100."));
    EXPECT_FALSE(mentions(text_of(start.prompt), "Why?"));
    const Fitted condensed = fitted(given, with(Policy::kSummarize));
    EXPECT_TRUE(mentions(text_of(condensed.prompt), "noted]\n\nParagraph")) << text_of(condensed.prompt);
    EXPECT_TRUE(condensed.digest.text.empty());
    const Fitted behind = fitted(given, with(Policy::kSummarize, Keep::kStart));
    EXPECT_TRUE(mentions(text_of(behind.prompt), ".\n\n[Summary")) << text_of(behind.prompt);
    for (const Fitted& f : {cut, start, condensed, behind}) expect_to_add_up(f, given);
  }
}

TEST(Fit, SplittingReportsWhatItRead) {
  FakeModel model;
  std::string text;
  for (int i = 0; i < 60; ++i) text += "Paragraph " + std::to_string(100 + i) + ".\n\n";
  const Given given = talk({{"system", "sys"}, {"user", text + "Why?"}});
  const Fitted f = fitted(given, with(Policy::kSplit), model);
  EXPECT_EQ(f.n_runs, static_cast<int64_t>(model.prompts.size()));
  EXPECT_GT(f.n_runs, 1);
  EXPECT_EQ(f.kept, count(talk({{"system", "sys"}, {"user", "Why?"}})));
  EXPECT_EQ(f.summarised, f.given - f.kept);
  EXPECT_TRUE(mentions(f.notices[0], "pieces")) << f.notices[0];
  expect_to_add_up(f, given);
}

TEST(Fit, TheReportOfTheAnswerHasItAll) {
  const Fitted f = fitted(long_talk(40), with(Policy::kSummarize));
  Event last;
  last.usage = {f.kept + f.added, 7, 7, 1};
  last.context = {.window = kWindow, .prompt_cached = 3, .left = 5};
  add_to_report(f, last);
  EXPECT_EQ(last.usage.prompt_tokens, f.kept + f.added + f.usage.prompt_tokens);
  EXPECT_EQ(last.usage.completion_tokens, 7 + f.usage.completion_tokens);
  EXPECT_EQ(last.context.prompt_given,
            last.context.prompt_kept + last.context.prompt_dropped + last.context.prompt_summarised);
  EXPECT_EQ(last.context.prompt_added, f.added);
  EXPECT_EQ(last.context.runs, f.n_runs);
  EXPECT_EQ(last.context.prompt_cached, 3);
  EXPECT_EQ(last.context.left, 5);
}

// Whatever the conversation: it fits, adds up, keeps what must be kept, and no result stands without its
// call.
TEST(Fit, AnyConversationAddsUp) {
  for (uint32_t n = 0; n < 150; ++n) {
    const auto pick = [&](uint32_t of, uint32_t draw) {
      return static_cast<uint32_t>(uniform({9, 1, n}, draw) * of);
    };
    std::vector<chat::Message> messages = {{"system", std::string(pick(40, 0), 's')}};
    uint32_t draw = 10;
    const auto words = [&](const std::string& name) {
      std::string text = name;
      for (uint32_t i = pick(60, draw++); i > 0; --i) text += pick(9, draw++) == 0 ? "\n\nmore" : " word";
      return text;
    };
    for (uint32_t turn = pick(6, 1) + 1; turn > 0; --turn) {
      messages.push_back({"user", words("ask")});
      for (uint32_t i = pick(3, draw++); i > 0; --i) {
        const std::string number = std::to_string(messages.size());
        messages.push_back({"assistant", "call" + number + "!"});
        messages.push_back({"tool", "result" + number + "!"});
      }
      if (turn > 1) messages.push_back({"assistant", words("answer")});
    }
    const Given given = talk(messages);
    const Policy policy = pick(2, 2) == 0 ? Policy::kTruncate : Policy::kSummarize;
    const Fitted f = fitted(given, with(policy, pick(2, 3) == 0 ? Keep::kEnd : Keep::kStart));
    expect_to_add_up(f, given);
    EXPECT_LE(static_cast<int64_t>(f.prompt.size()), kWindow - kRoom);
    const std::string text = text_of(f.prompt);
    EXPECT_TRUE(text.starts_with("<system>" + messages[0].content + "</>"));
    EXPECT_TRUE(text.ends_with("<next>"));
    for (std::size_t i = 0; i < messages.size(); ++i)
      EXPECT_EQ(mentions(text, "call" + std::to_string(i) + "!<"),
                mentions(text, "result" + std::to_string(i) + "!<"))
          << text;
  }
}

}  // namespace
}  // namespace kelda::context
