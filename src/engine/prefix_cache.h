// Sequences of requests that have ended, kept so that a prompt that begins like one of them is not read
// again. STATE. What is in the cache for a token depends on the tokens before it alone, bit for bit, so that
// an answer does not depend on what was found here (docs/adr/0009-equal-bits.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learned/vocabulary.h"
#include "state/sequence.h"

namespace kelda {

// How many tokens the two have in common at their beginning.
int64_t common_length(std::span<const TokenId> a, std::span<const TokenId> b);

// What became of the search for what was read before, and why.
struct PrefixLookup {
  enum class Outcome {
    kOff,        // nothing is ever kept
    kNotWanted,  // all of the prompt has to be read, for its logprobs
    kEmpty,      // nothing has been kept yet
    kOneToken,   // the last token has to be read, and there is no other
    kNoneAlike,  // what is kept begins otherwise
    kGone,       // something begins alike, but layers with a window have forgotten what would be needed
    kHit,
  };
  Outcome outcome = Outcome::kOff;
  int64_t n_alike = 0;  // kHit: tokens that need not be read; kGone: that some kept text begins with as well
};
// "hit", "miss" or "off".
std::string_view name(PrefixLookup::Outcome outcome);
// Why, in a sentence for people.
std::string why(const PrefixLookup& lookup);

class PrefixCache {
 public:
  // Keeps at most that many sequences; 0 keeps none.
  explicit PrefixCache(std::size_t max_sequences) : max_sequences_(max_sequences) {}

  // A sequence that holds the longest kept beginning of `prompt`, but never all of it: the last token has to
  // be read, for its logits. nullopt if nothing of it is there; `lookup`, if not null, says why.
  std::optional<Sequence> find(std::span<const TokenId> prompt, PrefixLookup* lookup = nullptr);
  // tokens: those that the sequence holds (the first sequence.length() are taken). What it makes redundant
  // goes.
  void keep(std::vector<TokenId> tokens, Sequence sequence);
  // Gives back the memory of the one that was used longest ago; false if there is none.
  bool drop_oldest();

 private:
  struct Entry {
    std::vector<TokenId> tokens;
    Sequence sequence;
  };
  std::size_t max_sequences_;
  std::list<Entry> entries_;  // the last used first
};

}  // namespace kelda
