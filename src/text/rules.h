// What a tokenizer does with text around the merging of pieces. CONFIG: whoever trained it fixed it.
#pragma once

#include <vector>

#include "learned/vocabulary.h"
#include "text/added_tokens.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"

namespace kelda::text {

// How pieces become text again.
struct DecoderRules {
  enum class Kind : uint8_t {
    kText,       // a piece is its text
    kByteLevel,  // written in the byte alphabet
    kMetaspace,  // `mark` stands for a blank
    kWords,  // pieces are words with a blank between; those that begin with `mark` go on with the last one
    kMarkedWords,  // the same, but `mark` begins a word, and a piece without it goes on with the last one
  };
  Kind kind = Kind::kText;
  std::string mark = {};  // UTF-8 of "▁" or "##"; may be empty with kWords: none goes on
  // What the first token of a text loses: one blank, or (the package's Metaspace decoder) all of them.
  enum class Drop : uint8_t { kNothing, kOneBlank, kAllBlanks };
  Drop at_start = Drop::kNothing;
  bool tidy = false;  // kWords: no blank before punctuation and English contractions
};

struct Rules {
  std::vector<AddedToken> added = {};
  Normalizer normalizer = {};
  std::vector<PreTokenizerStep> cuts = {};
  DecoderRules decoder = {};
};

}  // namespace kelda::text
