// Forward passes of one model on one set of threads. STATE: scratch and cache. One thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/thread_pool.h"
#include "engine/model.h"
#include "kernels/kernel_table.h"
#include "models/scratch.h"
#include "state/batch.h"
#include "state/kv_cache.h"

namespace kelda {

// The kernels of the instruction set that base/cpu.h chooses.
const kernels::KernelTable& choose_kernels();

// The window in effect where `asked` tokens are asked for, 0 for all that the model was trained on. Throws
// kUsage beyond those.
int64_t checked_window(int64_t asked, int64_t trained);

// What to do about a prompt that does not fit a window: words for an error. most: how many tokens would fit;
// trained: the largest window there can be.
std::string way_out(int64_t window, int64_t most, int64_t trained);

// Throws kInternal naming `position` if a logit is NaN or +infinity, as sound weights never give, or if all
// are −infinity, which is a probability of 0: there would be nothing to draw.
void require_a_number(std::span<const float> logits, int64_t position);

class Runner {
 public:
  struct Options {
    KvType kv_type = KvType::kF16;
    int64_t window = 0;     // tokens a sequence may have; 0 = the window the model was trained on, never more
    int64_t kv_tokens = 0;  // room for this many tokens over all sequences; 0 = one window
  };
  // The model is a decoder. The pool outlives the runner. Throws kUsage for a window beyond the trained one
  // or beyond what the model was loaded for, kOutOfMemory.
  Runner(std::shared_ptr<const Model> model, const Options& options, ThreadPool& pool,
         const kernels::KernelTable& kernels = choose_kernels());

  // Runs the batch (its sequences advance() afterwards, by the caller) and gives the logits of
  // batch.logit_rows, in that order: [logit_rows.size(), vocab_size], valid until the next call.
  Matrix<const float> forward(const Batch& batch);

  // Throws kContextLength, saying what helps, for more tokens than the window has.
  void require_fits(int64_t n_tokens) const;
  // Logits of every position of `tokens` as one new sequence, fed in chunks: each(position, logits). Throws
  // kContextLength, and of the first position that has a fault what require_a_number() throws.
  void all_logits(std::span<const TokenId> tokens, int64_t chunk,
                  const std::function<void(int64_t, std::span<const float>)>& each);

  int64_t window() const { return window_; }
  const Model& model() const { return *model_; }
  KvCache& cache() { return cache_; }
  const KvCache& cache() const { return cache_; }
  ThreadPool& pool() { return exec_.pool; }
  const kernels::KernelTable& kernels() const { return exec_.kernels; }
  uint64_t scratch_bytes() const { return scratch_.bytes() + logits_.bytes(); }
  int64_t n_passes() const { return n_passes_; }
  int64_t n_token_passes() const { return n_token_passes_; }

 private:
  std::shared_ptr<const Model> model_;
  int64_t window_;
  Exec exec_;
  KvCache cache_;
  models::Scratch scratch_;
  models::Plane logits_;
  int64_t n_passes_ = 0, n_token_passes_ = 0;
};

}  // namespace kelda
