#include "text/pre_tokenizers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <set>

#include "base/error.h"
#include "tests/text/tiny_vocabulary.h"
#include "text/pre_tokenizer.h"

namespace kelda::text {
namespace {

using Pieces = std::vector<std::string>;

PreTokenizer of(const PreTokenizerRow& row) {
  std::vector<PreTokenizerStep> steps;
  for (const std::string_view e : row.expressions) steps.emplace_back(split(e));
  return PreTokenizer(std::move(steps));
}

Pieces cut(std::string_view name, std::string_view text) {
  static std::map<std::string_view, PreTokenizer> made;  // compiling takes longer than cutting
  const PreTokenizerRow& row = pre_tokenizer_row(name);
  if (!made.contains(row.name)) made.emplace(row.name, of(row));
  const PreTokenizer& p = made.at(row.name);
  Pieces out;
  PreTokenizer::Cutter(p).cut(text, true, [&](std::string_view piece) { out.emplace_back(piece); });
  return out;
}

TEST(PreTokenizers, Gpt2KeepsOneBlankWithTheWordAfterIt) {
  EXPECT_EQ(cut("gpt-2", "Hello  world, it's 1984!"),
            (Pieces{"Hello", " ", " world", ",", " it", "'s", " 1984", "!"}));
  EXPECT_EQ(cut("gpt-2", "a \n b"), (Pieces{"a", " \n", " b"}));
  EXPECT_EQ(cut("gpt-2", "IT'S"), (Pieces{"IT", "'", "S"}));
  EXPECT_EQ(cut("gpt-2", "x   "), (Pieces{"x", "   "}));
  EXPECT_EQ(cut("gpt-2", ""), (Pieces{}));
}

TEST(PreTokenizers, SmollmCutsEveryDigitFirst) {
  EXPECT_EQ(cut("smollm", "a  12b"),
            (Pieces{"a", "  ", "1", "2", "b"}));  // blanks see the end of their piece, not the digit
  EXPECT_EQ(cut("smollm", "x² ½"), (Pieces{"x", "²", " ", "½"}));
}

// A property of characters that came with a later Unicode must not depend on the machine's library.
TEST(PreTokenizers, LaterCharactersAreCutAsTheModelsWereTrained) {
  EXPECT_EQ(cut("qwen2", "a \U0001FAE8"), (Pieces{"a", " \U0001FAE8"}));
  EXPECT_EQ(cut("qwen2", "\U00031350x"), (Pieces{"\U00031350x"}));
}

TEST(PreTokenizers, EqualThePackageOnTheGoldenCuts) {
  const auto golden = testing::golden("tokenizer_cuts.json");
  int n = 0;
  for (const auto& row : golden["rows"]) {
    const std::string name = row["pre"];
    if (pre_tokenizer_row(name).mapped_before_last) continue;  // cuts within characters: see byte_bpe_test
    for (const auto& c : row["cuts"]) {
      EXPECT_EQ(cut(name, c[0].get<std::string>()), c[1].get<Pieces>()) << name << ": " << c[0];
      ++n;
    }
  }
  EXPECT_GE(n, 500);
}

TEST(PreTokenizers, PiecesTogetherAreTheText) {
  const std::string text = "Ünïcödé 中文\t 12½\r\n\u00a0'll 👩‍👧 \u180e.";
  for (const PreTokenizerRow& row : pre_tokenizer_rows()) {
    std::string joined;
    for (const std::string& piece : cut(row.name, text)) joined += piece;
    EXPECT_EQ(joined, text) << row.name;
  }
}

TEST(PreTokenizers, NamesAreThereOnce) {
  for (const PreTokenizerRow& a : pre_tokenizer_rows())
    for (const PreTokenizerRow& b : pre_tokenizer_rows()) EXPECT_TRUE(&a == &b || a.name != b.name) << a.name;
}

TEST(PreTokenizers, AnUnknownNameIsRefusedWithTheKnownOnes) {
  for (const char* name : {"qwen99", ""}) {
    try {
      pre_tokenizer_row(name);
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUnsupported);
      const std::string what = e.what();
      EXPECT_NE(what.find("tokenizer.ggml.pre"), std::string::npos) << what;
      for (const PreTokenizerRow& row : pre_tokenizer_rows())
        EXPECT_NE(what.find(row.name), std::string::npos) << what;
    }
  }
}

// A library that checks the rest of the text at each match needs hours here, and so does a pattern that looks
// ahead over a whole run again and again.
TEST(PreTokenizers, EveryRowIsLinearOnShortPiecesAndOnLongRuns) {
  std::set<const void*> done;  // many names share their expressions
  for (const PreTokenizerRow& row : pre_tokenizer_rows()) {
    if (!done.insert(row.expressions.data()).second) continue;
    const PreTokenizer p = of(row);
    for (const char* unit : {"é 1", "a", "A", "中", " ", "\n", "!", "1", " \n", "Aa", "'s", "\u0301"}) {
      std::string text;
      while (text.size() < (1u << 18)) text += unit;
      const auto begin = std::chrono::steady_clock::now();
      std::size_t bytes = 0;
      PreTokenizer::Cutter(p).cut(text, true, [&](std::string_view piece) { bytes += piece.size(); });
      EXPECT_EQ(bytes, text.size());
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30))
          << row.name << " " << unit;
    }
  }
}

}  // namespace
}  // namespace kelda::text
