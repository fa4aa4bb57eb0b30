// Answers that go round in circles, found and told, never changed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "learned/vocabulary.h"

namespace kelda {

// The end of a text repeats a block of `period` tokens; `n_tokens` at its end are the block again and again.
struct Loop {
  int64_t period;
  int64_t n_tokens;
};

// The shortest block of at most 256 tokens that the text ends with at least 8 times, over at least 128 tokens
// in all, each time token by token the same: numbered lists, tables and code with a change in each line are
// none. nullopt if there is none. O(n).
std::optional<Loop> find_loop(std::span<const TokenId> tokens);

// A sentence for people: what was seen, and what may help.
std::string loop_notice(const Loop& loop);

}  // namespace kelda
