// The tokens that are cut out of a text before anything else looks at it: control tokens such as "<|im_end|>"
// and what the publisher added to the vocabulary by hand.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "learned/vocabulary.h"
#include "text/byte_trie.h"
#include "text/tokenizer.h"

namespace kelda::text {

class SpecialTokens {
 public:
  explicit SpecialTokens(const Vocabulary& vocabulary);

  struct Match {
    std::size_t begin, end;
    TokenId id;
  };
  // The next token written in `text` at or after `from`: the leftmost, and of those the longest. User-defined
  // tokens are text and always found; control tokens only with Special::kParse, else their letters are plain
  // text. O(bytes passed × longest special token) at worst; one look-up per byte where none begins.
  std::optional<Match> next(std::string_view text, std::size_t from, Special special) const;

 private:
  const Vocabulary* vocabulary_;
  ByteTrie trie_;
};

// Control tokens and the unknown token: no text of their own.
bool is_special(TokenType type);

}  // namespace kelda::text
