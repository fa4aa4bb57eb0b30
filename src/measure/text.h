// Reading and writing tokens that nobody has chosen, to be timed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/runner.h"

namespace kelda::measure {

// Told now and then from the thread that measures: how much of a task is done. May throw to end it.
using Progress = std::function<void(int64_t done, int64_t total)>;

// The same n ids for the same stream, over the whole vocabulary.
std::vector<TokenId> some_tokens(int64_t n, int64_t vocab_size, uint32_t stream);

// Reads `ids` after what the sequence has, `chunk` in a pass, logits of the last one only: those are
// returned, valid until the runner's next pass. ids is not empty. Throws as require_a_number() does,
// kOutOfMemory.
std::span<const float> read(Runner& runner, Sequence& sequence, std::span<const TokenId> ids, int64_t chunk,
                            const Progress& progress = {});

// The middle value; of an even number the mean of the two. values is not empty.
double median(std::vector<double> values);

}  // namespace kelda::measure
