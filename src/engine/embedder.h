// Texts to vectors by an encoder, any number of them. STATE: scratch, and one layer's keys and values. One
// thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "engine/model.h"
#include "engine/runner.h"
#include "models/scratch.h"
#include "state/batch.h"
#include "state/kv_cache.h"

namespace kelda {

class Embedder {
 public:
  struct Options {
    Pooling pooling = Pooling::kNone;    // kNone: as the model's file says
    std::optional<bool> normalize = {};  // to length 1; not set: as the model's file says, which is else yes
    int64_t window = 0;  // tokens a text may have; 0 = the window the model was trained on, never more
  };
  // The model is an encoder, the pool outlives this. Throws kUsage for a window beyond the trained one, and
  // where neither the options nor the file say how to pool; kOutOfMemory.
  Embedder(std::shared_ptr<const Model> model, const Options& options, ThreadPool& pool,
           const kernels::KernelTable& kernels = choose_kernels());

  // each(i, vector of texts[i]), i ascending; the vector [width()] is valid during the call. Its bits do not
  // depend on the other texts. Throws kBadInput for a text without tokens, kContextLength for one beyond the
  // window, both before any is run; kInternal for a vector that is no number. Texts are counted from 1.
  void embed(std::span<const std::vector<TokenId>> texts,
             const std::function<void(std::size_t, std::span<const float>)>& each);

  // A text's ids as encode_prompt() gave them, cut to the first tokens that fit the window; the token that
  // ends every text of the model, where it has one, still ends it.
  void truncate(std::vector<TokenId>& ids) const;

  const Model& model() const { return *model_; }
  Pooling pooling() const { return pooling_; }
  bool normalizes() const { return normalize_; }
  int64_t window() const { return window_; }
  int64_t width() const { return model_->config().hidden_size; }

 private:
  void require_fit(std::span<const std::vector<TokenId>> texts) const;
  // Runs texts [first, …) as far as they fill a batch. Returns how many, their vectors in `out`.
  std::size_t run_batch(std::span<const std::vector<TokenId>> texts, std::size_t first, Matrix<float>& out);

  std::shared_ptr<const Model> model_;
  Pooling pooling_;
  bool normalize_;
  int64_t window_;
  Exec exec_;
  KvCache cache_;
  models::Scratch scratch_;
  models::Plane hidden_, vectors_;
};

}  // namespace kelda
