#include "context/shorten.h"

#include "context/bytes.h"

namespace kelda::context {
namespace {

// What is left where the prompt may have that many tokens.
std::optional<Shortened> to(const Given& given, int64_t budget, Keep keep = Keep::kEnd) {
  return shorten(given, keep, [&](const Given& kept) { return count(kept) <= budget; });
}

std::string left(const Given& given, int64_t budget, Keep keep = Keep::kEnd) {
  const auto shortened = to(given, budget, keep);
  return shortened ? rendered(shortened->kept) : "nothing";
}

const Given& conversation() {
  static const Given given = talk({{"system", "sys"},
                                   {"user", "one"},
                                   {"assistant", "two"},
                                   {"user", "three"},
                                   {"assistant", "four"},
                                   {"user", "five"}});
  return given;
}

TEST(Shorten, DropsTheFewestOfTheOldestTurns) {
  const std::string all = rendered(conversation());
  const std::string without_one = "<system>sys</><user  >three</><assist>four</><user  >five</><next>";
  const std::string without_two = "<system>sys</><user  >five</><next>";
  const auto n = static_cast<int64_t>(all.size());
  EXPECT_EQ(left(conversation(), n - 1), without_one) << "one token over";
  EXPECT_EQ(left(conversation(), static_cast<int64_t>(without_one.size())), without_one);
  EXPECT_EQ(left(conversation(), static_cast<int64_t>(without_one.size()) - 1), without_two);
  EXPECT_EQ(left(conversation(), static_cast<int64_t>(without_two.size())), without_two);
  const auto shortened = to(conversation(), n - 1);
  EXPECT_EQ(shortened->n_turns, 1u);
  EXPECT_EQ(shortened->left_out, "User: one\n\nAssistant: two");
  EXPECT_FALSE(shortened->cut_at);
}

TEST(Shorten, ThenCutsTheLongestMessage) {
  const std::string least = "<system>sys</><user  ></><next>";
  const auto room = [&](int64_t n) { return static_cast<int64_t>(least.size()) + n; };
  EXPECT_EQ(left(conversation(), room(3)), "<system>sys</><user  >ive</><next>");
  EXPECT_EQ(left(conversation(), room(3), Keep::kStart), "<system>sys</><user  >fiv</><next>");
  EXPECT_EQ(left(conversation(), room(1)), "<system>sys</><user  >e</><next>");
  EXPECT_EQ(left(conversation(), room(0)), "nothing") << "of the last message something must stay";
  const auto shortened = to(conversation(), room(3));
  EXPECT_EQ(shortened->n_turns, 2u);
  EXPECT_EQ(shortened->cut_at, Boundary::kCharacter);
  EXPECT_EQ(shortened->left_out, "User: one\n\nAssistant: two\n\nUser: three\n\nAssistant: four\n\nf");
}

TEST(Shorten, TheSystemMessageIsNeverCut) {
  const Given given = talk({{"system", std::string(100, 's')}, {"user", "a question"}});
  EXPECT_EQ(left(given, 100), "nothing");
  EXPECT_TRUE(mentions(left(given, 100 + 2 * kAroundMessage + kGenerationPrompt + 8), std::string(100, 's')));
}

TEST(Shorten, AToolsResultGoesWithItsCall) {
  const std::string json = R"({"messages": [{"role": "user", "content": "u1"},
      {"role": "assistant", "content": "call", "tool_calls": [{"id": "1"}]}, {"role": "tool", "content": "result"},
      {"role": "assistant", "content": "said"}, {"role": "user", "content": "u2"},
      {"role": "assistant", "content": "call2", "tool_calls": [{"id": "2"}]}, {"role": "tool", "content": "result2"},
      {"role": "assistant", "content": "call3", "tool_calls": [{"id": "3"}]}, {"role": "tool", "content": "result3"}]})";
  const Given given = talk_of_json(json);
  const std::string all = rendered(given);
  std::set<std::string> seen;
  for (auto n = static_cast<int64_t>(all.size()) - 1; n > 0; --n) {
    const auto shortened = to(given, n);
    if (!shortened) break;
    const std::string text = rendered(shortened->kept);
    seen.insert(text);
    EXPECT_LE(static_cast<int64_t>(text.size()), n);
    EXPECT_EQ(mentions(text, ">call<"), mentions(text, ">result<"));
    EXPECT_EQ(mentions(text, ">call2<"), mentions(text, ">result2<"));
    EXPECT_TRUE(mentions(text, "<user  >u2</>")) << text;
    EXPECT_TRUE(mentions(text, "call3"));
  }
  EXPECT_TRUE(seen.count("<user  >u2</><assist>call3</><tool  >result3</><next>"));
  EXPECT_TRUE(seen.count("<user  >u2</><assist>call3</><tool  >3</><next>")) << "a long result is cut itself";
}

TEST(Shorten, ARawTextIsCutAtParagraphs) {
  const Given given = raw("first one\n\nsecond\n\nthe third one");
  EXPECT_EQ(left(given, 21), "second\n\nthe third one");
  EXPECT_EQ(left(given, 20), "the third one") << "one token over";
  EXPECT_EQ(left(given, 17, Keep::kStart), "first one\n\nsecond");
  EXPECT_EQ(to(given, 21)->cut_at, Boundary::kParagraph);
  EXPECT_EQ(to(given, 21)->left_out, "first one");
  EXPECT_EQ(to(given, 17, Keep::kStart)->left_out, "the third one");
  EXPECT_EQ(left(given, 0), "nothing");
}

}  // namespace
}  // namespace kelda::context
