// Tokens to text while they stream. STATE of one sequence. Never gives out half a character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/byte_trie.h"
#include "text/tokenizer.h"

namespace kelda::text {

// Holds back the bytes of an unfinished UTF-8 character. Bytes that can no longer become valid are replaced,
// one U+FFFD per maximal ill-formed part (Unicode 15, section 3.9), so that any chunking gives the same text.
class Utf8Stream {
 public:
  std::string push(std::string_view bytes);  // the text that is now certain
  std::string finish();                      // what is left: U+FFFD for an unfinished character

 private:
  std::string held_;
};

// The text of a row of ids, one after another: what Tokenizer::decode() gives for all of them at once.
class Detokenizer {
 public:
  // kText: the first id begins a text, so a blank that the tokenizer put before it is dropped again.
  // kContinuation: it goes on with a text that was there before (a prompt), and keeps its blank.
  enum class Start { kText, kContinuation };
  // `tokenizer` must outlive this.
  Detokenizer(const Tokenizer& tokenizer, bool show_special, Start start);
  // The text that is now certain. Throws kBadInput for an id outside the vocabulary; nothing changes then.
  std::string push(TokenId id);
  std::string finish();  // what is left: U+FFFD for an unfinished character

 private:
  const Tokenizer* tokenizer_;
  bool show_special_, at_start_;
  Utf8Stream utf8_;
};

// Looks for stop strings in streamed text. What might be the beginning of one is held back, and nothing of a
// stop string, nor anything after it, ever comes out. Linear in the text, whatever the stop strings (Aho and
// Corasick 1975).
class StopMatcher {
 public:
  // Empty strings are not allowed (KELDA_CHECK): knobs refuse them.
  explicit StopMatcher(const std::vector<std::string>& stops);
  std::string push(std::string_view text);  // the text that is safe to show
  // The text ends here, at a stop that was not one of these strings: what was held back, up to a stop string
  // that is complete in it (matched() then tells which). Empty if one had matched before.
  std::string finish();
  // Index of the stop string that was found, −1 while none was. The match that begins first wins; of those
  // that begin at the same place, the one that is complete first. So a found string waits for an earlier,
  // longer one to fail.
  int matched() const { return matched_; }

 private:
  // Moves on to the longest beginning of a stop string that the text ends with.
  void step(uint8_t byte);
  // Fixes the candidate as the match, and gives out the text before it.
  std::string settle();
  // Gives out the held text up to `end`.
  std::string release(std::size_t end);

  ByteTrie trie_;                     // of the stop strings; a value is an index
  std::vector<ByteTrie::Node> fail_;  // per node: its longest proper suffix that is a node
  std::vector<ByteTrie::Node>
      found_;  // per node: its longest suffix that is a whole stop string, kNone if none

  ByteTrie::Node state_ = ByteTrie::kRoot;
  std::string held_;  // from shown_ on; what is before that is out, and erased now and then
  std::size_t shown_ = 0;
  int candidate_ = -1;               // complete, but one that begins earlier may still come true
  std::size_t candidate_begin_ = 0;  // in held_
  int matched_ = -1;
};

}  // namespace kelda::text
