// Attention over the paged cache, and writing to it.
#pragma once

#include <span>

#include "ops/exec.h"
#include "state/batch.h"
#include "tensor/buffer.h"
#include "tensor/matrix.h"

namespace kelda::ops {

// Writes the rows' keys and values into their sequences' blocks.
//   k, v: [n_rows, n_kv_heads × head_dim], k already rotated.
void store_kv(Exec&, const KvLayer& kv, std::span<const BatchRun> runs, Matrix<const float> k,
              Matrix<const float> v);

// What becomes of q·k before the softmax.
struct ScoreRule {
  ScoreRule(float by, float cap = 0) : scale(by), softcap(cap) {}  // implicit: usually there is only a scale
  float scale;                                                     // usually 1 / sqrt(head_dim)
  float softcap;  // scaled scores become softcap · tanh(score / softcap); 0 = they stay
};

// Softmax attention of every row over its own sequence's keys 0 … position (cut to the layer's window), or,
// where the layer is not causal, over all keys up to the end of its run; such a layer has no window.
//   q, out: [n_rows, n_heads × head_dim]; q is overwritten (scaled). n_heads is a multiple of kv.n_kv_heads.
//   Numerics: kernels/kernel_table.h; splits of 512 keys at absolute positions are merged in ascending order,
//   so that the result does not depend on threads, batch or chunking. Never holds more than a tile of scores.
// `workspace` grows to what a pass needs and is kept for the next.
//   Source: Dao 2023 (arXiv 2307.08691) for the online softmax; merging of splits as in its section 3.1.
class AttentionWorkspace;
void attention(Exec&, const KvLayer& kv, std::span<const BatchRun> runs, int64_t n_heads, ScoreRule scores,
               Matrix<float> q, AttentionWorkspace& workspace, Matrix<float> out);

// Scratch of attention(): partial results of the splits. STATE.
class AttentionWorkspace {
 public:
  // At least `bytes` bytes, 64-byte aligned, contents undefined.
  std::byte* reserve(uint64_t bytes);
  uint64_t bytes() const { return buffer_.size(); }

 private:
  Buffer buffer_;
};

}  // namespace kelda::ops
