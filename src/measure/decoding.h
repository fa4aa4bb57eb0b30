// Greedy decoding with the cache and without, run and counted: the difference that a KV cache makes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "measure/text.h"

namespace kelda::measure {

struct Decoding {
  std::vector<TokenId> tokens;
  double seconds = 0;
  int64_t n_passes = 0, n_token_passes = 0;  // as the runner counted them
};
// Writes n tokens after the prompt, the likeliest each time (ties: the lowest id), end tokens like any other.
// prompt: at least one id; prompt and answer fit the runner's window and cache. progress: in token passes.
//   Cached: the prompt in one pass, then one token a pass.
Decoding decode_cached(Runner& runner, std::span<const TokenId> prompt, int64_t n, const Progress& progress);
//   Naive: for each token all that is before it is read anew.
Decoding decode_naive(Runner& runner, std::span<const TokenId> prompt, int64_t n, const Progress& progress);

}  // namespace kelda::measure
