#include "text/pre_tokenizers.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/error.h"

namespace kelda::text {
namespace {

using Pieces = std::vector<std::string>;

Pieces cut(std::string_view name, std::string_view text) {
  const PreTokenizer p(name);
  Pieces out;
  PreTokenizer::Cutter(p).cut(text, [&](std::string_view piece) { out.emplace_back(piece); });
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

TEST(PreTokenizers, PiecesTogetherAreTheText) {
  const std::string text = "Ünïcödé 中文\t 12½\r\n\u00a0'll 👩‍👧 \u180e.";
  for (const PreTokenizerRow& row : pre_tokenizer_rows()) {
    std::string joined;
    for (const std::string& piece : cut(row.name, text)) joined += piece;
    EXPECT_EQ(joined, text) << row.name;
  }
}

TEST(PreTokenizers, AnUnknownNameIsRefusedWithTheKnownOnes) {
  for (const char* name : {"qwen99", ""}) {
    try {
      const PreTokenizer p(name);
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

// A library that checks the rest of the text at each match needs hours here.
TEST(PreTokenizers, ManyShortPiecesTakeLinearTime) {
  std::string text;
  while (text.size() < (2u << 20)) text += "é 1";
  const auto begin = std::chrono::steady_clock::now();
  std::size_t n = 0;
  const PreTokenizer p("smollm");
  PreTokenizer::Cutter(p).cut(text, [&](std::string_view) { ++n; });
  EXPECT_EQ(n, text.size() / 4 * 3);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

}  // namespace
}  // namespace kelda::text
