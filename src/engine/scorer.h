// How likely texts are after other texts: the logprob of every token of a continuation, after its context.
// STATE: sequences in the runner's cache. One thread at a time.
//
// A context is read once for all continuations that follow it, and what contexts have in common at their
// beginning is read once as long as it is kept. Neither that nor the batch changes a bit
// (docs/adr/0018-scores-and-stops.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <vector>

#include "engine/prefix_cache.h"
#include "engine/runner.h"

namespace kelda {

class Scorer {
 public:
  struct Options {
    int64_t batch_tokens = 512;     // of contexts in one pass, ≥ 1
    std::size_t kept_contexts = 8;  // for those that begin alike
  };
  // The runner outlives this. Its cache should have room for cache_tokens(), less makes smaller batches.
  Scorer(Runner& runner, const Options& options);
  // Room for a context of the whole window and for continuations beside it, for Runner::Options::kv_tokens.
  static int64_t cache_tokens(int64_t window);

  struct Pair {
    std::span<const TokenId> context, continuation;  // at least one token each
  };
  struct Score {
    std::vector<double> logprobs;  // of each token of the continuation, raw; −inf for an impossible one
    double sum = 0;                // of them, added from the first to the last
    bool greedy = true;            // each of them is the likeliest one, ties by the lowest id
  };
  // each(i, score of pairs[i]), i ascending. Pairs of one context are best put side by side. Throws
  // kBadInput for an empty half or an id outside the vocabulary, kContextLength for what does not fit, both
  // before anything is run; kOutOfMemory; kInternal for logits that are no numbers. Pairs count from 1.
  void score(std::span<const Pair> pairs, const std::function<void(std::size_t, const Score&)>& each);

  // The tokens that must be read for a pair: the last one is only looked for.
  static int64_t read_tokens(const Pair& pair) {
    return static_cast<int64_t>(pair.context.size() + pair.continuation.size()) - 1;
  }
  int64_t window() const { return runner_.window(); }

 private:
  // Pairs [first, last) of one context, which `sequence` holds once it is read.
  struct Context {
    std::size_t first, last;
    Sequence sequence;
  };
  // Part of a continuation in the batch: its tokens [at, at + n), each the place of the logits of the next.
  struct Piece {
    std::size_t pair;
    std::size_t at, n;
  };
  void require_fit(std::span<const Pair> pairs) const;
  std::size_t read_contexts(std::span<const Pair> pairs, std::size_t first);
  bool add_context(std::span<const Pair> pairs, std::size_t first, int64_t& budget);
  void read_continuations(std::span<const Pair> pairs);
  void run_pieces(std::span<const Pair> pairs, bool keep_last);
  void note(const Pair& pair, std::size_t token, std::span<const float> logits, Score& score) const;
  // Adds to the batch; what is kept of earlier contexts gives way. False where there is no room.
  bool add_to_batch(Sequence& sequence, std::span<const TokenId> tokens, Batch::Logits logits);

  Runner& runner_;
  int64_t batch_tokens_;
  std::size_t rows_;  // of logits in one pass
  PrefixCache kept_;
  Batch batch_;
  std::list<Context> contexts_;  // lists, since the batch points at sequences
  std::list<Sequence> forks_;
  std::vector<Piece> pieces_;
  std::vector<Score> scores_;  // of the group of contexts that is being run
  std::size_t scores_first_ = 0;
};

}  // namespace kelda
