// What one forward pass works on: runs of consecutive tokens of one or more sequences, one row each. Input,
// const while it runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "state/sequence.h"

namespace kelda {

// Rows [first_row, first_row + n_tokens) are positions first_pos, first_pos + 1, … of one sequence, which has
// reserved room for them and has not yet advanced: first_pos == sequence->length().
struct BatchRun {
  const Sequence* sequence = nullptr;
  int64_t first_row = 0;
  int64_t n_tokens = 0;
  int64_t first_pos = 0;
};

struct Batch {
  std::vector<int32_t> tokens;     // [n_rows] ids
  std::vector<int32_t> positions;  // [n_rows]
  std::vector<BatchRun> runs;
  std::vector<int32_t> logit_rows;  // rows whose logits are wanted, ascending

  int64_t n_rows() const { return static_cast<int64_t>(tokens.size()); }
  void clear();
  // Appends `tokens` of `sequence` after what it has; logits for all of them, or for the last one, or for
  // none.
  enum class Logits { kNone, kLast, kAll };
  void add(Sequence& sequence, std::span<const int32_t> tokens, Logits logits);
};

}  // namespace kelda
