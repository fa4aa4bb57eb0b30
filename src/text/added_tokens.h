// The tokens that are cut out of a text before anything else looks at it: control tokens such as "<|im_end|>"
// and what the publisher added to the vocabulary by hand.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_span.h"
#include "learned/vocabulary.h"
#include "text/byte_trie.h"

namespace kelda::text {

struct AddedToken {
  TokenId id;
  std::string text;  // not empty, at most kMaxAddedTokenBytes
  bool special;      // a control token: found only where the caller says
  // Blanks before or after go with it; it is no part of a longer word; it is looked for in normalised text.
  bool lstrip = false, rstrip = false, single_word = false, normalized = false;
};
inline constexpr std::size_t kMaxAddedTokenBytes = 1024;

// Control tokens and the unknown token: no text of their own.
bool is_special(TokenType type);
// The control, unknown and user-defined tokens of a vocabulary, without further rules: all that GGUF tells.
std::vector<AddedToken> added_tokens_of(const Vocabulary& vocabulary);

class AddedTokens {
 public:
  // Throws kBadInput for a token that is empty, too long or not UTF-8.
  explicit AddedTokens(std::vector<AddedToken> tokens);
  bool empty() const { return tokens_.empty(); }

  struct Match {
    std::size_t begin, end;  // with the blanks that it takes
    TokenId id;
  };
  // The next token written in `text` at or after `from`: the leftmost, and of those the longest.
  // `special_in`: sorted, disjoint ranges of the text of which `text` begins at `base`; a special token is
  // found only if all of its bytes lie in one of them, else its letters are plain text as a whole, in which
  // no other token is looked for. O(bytes passed × longest token) at worst; one look-up per byte where none
  // begins.
  std::optional<Match> next(std::string_view text, std::size_t from, std::span<const ByteSpan> special_in,
                            std::size_t base = 0) const;

 private:
  std::vector<AddedToken> tokens_;
  ByteTrie trie_;  // a value is an index into tokens_
};

}  // namespace kelda::text
