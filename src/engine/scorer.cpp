#include "engine/scorer.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/cpu.h"
#include "base/error.h"
#include "sampling/chain.h"

namespace kelda {
namespace {

constexpr int64_t kLogitBytes = int64_t{64} << 20;  // of one pass
constexpr int64_t kMostRows = 256;
constexpr int64_t kContexts = 64;  // in one pass

std::size_t logit_rows(int64_t vocab_size) {
  const int64_t fit = kLogitBytes / (vocab_size * static_cast<int64_t>(sizeof(float)));
  return static_cast<std::size_t>(std::clamp<int64_t>(fit, 1, kMostRows));
}

TokenId likeliest(std::span<const float> logits) {
  sampling::Candidate best{-1, 0};
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (!sampling::can_be_drawn(logits[i])) continue;
    const sampling::Candidate c{static_cast<TokenId>(i), sampling::finite_logit(logits[i])};
    if (best.id < 0 || sampling::better(c, best)) best = c;
  }
  return best.id;
}

}  // namespace

Scorer::Scorer(Runner& runner, const Options& options)
    : runner_(runner),
      batch_tokens_(options.batch_tokens),
      rows_(logit_rows(runner.model().config().vocab_size)),
      kept_(options.kept_contexts) {
  if (batch_tokens_ < 1) fail(ErrorCode::kUsage, "batch_tokens is {}; at least 1 is needed", batch_tokens_);
}

int64_t Scorer::cache_tokens(int64_t window) {
  // A context and a continuation as long as the window, and a block each for short ones beside them.
  return (2 * ceil_div(window, kKvBlock) + kContexts + kMostRows) * kKvBlock;
}

void Scorer::require_fit(std::span<const Pair> pairs) const {
  const int64_t vocab_size = runner_.model().config().vocab_size;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    if (pair.context.empty() || pair.continuation.empty()) {
      fail(ErrorCode::kBadInput, "pair {}: the {} has no tokens", i + 1,
           pair.context.empty() ? "context" : "continuation");
    }
    for (const auto ids : {pair.context, pair.continuation}) {
      for (const TokenId id : ids) {
        if (id >= 0 && id < vocab_size) continue;
        fail(ErrorCode::kBadInput, "pair {}: token id {} is outside the vocabulary (0 to {})", i + 1, id,
             vocab_size - 1);
      }
    }
    if (read_tokens(pair) > window()) {
      fail(ErrorCode::kContextLength,
           "pair {}: context and continuation have {} and {} tokens, of which all but the last are read, and "
           "the window is {}",
           i + 1, pair.context.size(), pair.continuation.size(), window());
    }
  }
}

void Scorer::note(const Pair& pair, std::size_t token, std::span<const float> logits, Score& score) const {
  require_a_number(logits, static_cast<int64_t>(pair.context.size() + token) - 1);
  const TokenId id = pair.continuation[token];
  score.logprobs.push_back(sampling::logprob(logits, id));
  score.sum += score.logprobs.back();
  score.greedy = score.greedy && likeliest(logits) == id;
}

bool Scorer::add_to_batch(Sequence& sequence, std::span<const TokenId> tokens, Batch::Logits logits) {
  for (;;) {
    try {
      batch_.add(sequence, tokens, logits);
      return true;
    } catch (const Error& e) {
      if (e.code() != ErrorCode::kOutOfMemory) throw;
      if (kept_.drop_oldest()) continue;
      if (batch_.n_rows() == 0) throw;
      return false;
    }
  }
}

// Puts the context of pair `first`, and the pairs after it that have the same one, into the batch; false
// where it belongs into the next one.
bool Scorer::add_context(std::span<const Pair> pairs, std::size_t first, int64_t& budget) {
  const std::span<const TokenId> context = pairs[first].context;
  std::optional<Sequence> prefix = kept_.find(context);
  const int64_t known = prefix ? prefix->length() : 0;
  int64_t left = static_cast<int64_t>(context.size()) - known;
  if (!contexts_.empty() && left > budget) return false;
  for (const Context& other : contexts_) {  // wait for what this pass reads
    if (common_length(context, pairs[other.first].context) >= known + kKvBlock) return false;
  }
  std::size_t last = first + 1;
  while (last < pairs.size() && std::ranges::equal(pairs[last].context, context)) ++last;
  contexts_.push_back({first, last, prefix ? std::move(*prefix) : Sequence(runner_.cache())});
  Sequence& sequence = contexts_.back().sequence;
  while (left > batch_tokens_) {  // alone in its batch then: the budget was less
    batch_.clear();
    add_to_batch(sequence,
                 context.last(static_cast<std::size_t>(left)).first(static_cast<std::size_t>(batch_tokens_)),
                 Batch::Logits::kNone);
    runner_.forward(batch_);
    sequence.advance(batch_tokens_);
    left -= batch_tokens_;
    batch_.clear();
  }
  if (!add_to_batch(sequence, context.last(static_cast<std::size_t>(left)), Batch::Logits::kLast)) {
    contexts_.pop_back();
    return false;
  }
  budget -= left;
  return true;
}

// Reads as many contexts as a pass takes, from pair `first` on, and notes the first token of each of their
// continuations. Returns the pair after them.
std::size_t Scorer::read_contexts(std::span<const Pair> pairs, std::size_t first) {
  contexts_.clear();
  batch_.clear();
  int64_t budget = batch_tokens_;
  std::size_t next = first;
  while (next < pairs.size() && contexts_.size() < static_cast<std::size_t>(kContexts) &&
         contexts_.size() < rows_ && budget > 0 && add_context(pairs, next, budget)) {
    next = contexts_.back().last;
  }
  scores_.assign(next - first, {});
  scores_first_ = first;
  const Matrix<const float> logits = runner_.forward(batch_);
  int64_t row = 0;
  for (Context& context : contexts_) {
    const std::span<const TokenId> tokens = pairs[context.first].context;
    context.sequence.advance(static_cast<int64_t>(tokens.size()) - context.sequence.length());
    for (std::size_t i = context.first; i < context.last; ++i)
      note(pairs[i], 0, logits.row_span(row), scores_[i - first]);
    ++row;
    kept_.keep({tokens.begin(), tokens.end()}, context.sequence.fork());
  }
  return next;
}

void Scorer::run_pieces(std::span<const Pair> pairs, bool keep_last) {
  if (pieces_.empty()) return;
  const Matrix<const float> logits = runner_.forward(batch_);
  int64_t row = 0;
  auto fork = forks_.begin();
  for (const Piece& piece : pieces_) {
    (fork++)->advance(static_cast<int64_t>(piece.n));
    for (std::size_t i = 0; i < piece.n; ++i)
      note(pairs[piece.pair], piece.at + i + 1, logits.row_span(row++), scores_[piece.pair - scores_first_]);
  }
  const std::size_t n_kept = keep_last ? 1 : 0;
  while (forks_.size() > n_kept) forks_.pop_front();
  pieces_.clear();
  batch_.clear();
}

// Each continuation goes on in a copy of its context's sequence.
void Scorer::read_continuations(std::span<const Pair> pairs) {
  forks_.clear();
  pieces_.clear();
  batch_.clear();
  for (const Context& context : contexts_) {
    for (std::size_t i = context.first; i < context.last; ++i) {
      const std::span<const TokenId> read = pairs[i].continuation.first(pairs[i].continuation.size() - 1);
      if (read.empty()) continue;
      forks_.push_back(context.sequence.fork());
      for (std::size_t at = 0; at < read.size();) {
        const std::size_t n = std::min(read.size() - at, rows_ - batch_.logit_rows.size());
        if (!add_to_batch(forks_.back(), read.subspan(at, n), Batch::Logits::kAll)) {
          run_pieces(pairs, true);
          continue;
        }
        pieces_.push_back({i, at, n});
        at += n;
        if (batch_.logit_rows.size() == rows_) run_pieces(pairs, at < read.size());
      }
    }
  }
  run_pieces(pairs, false);
}

void Scorer::score(std::span<const Pair> pairs, const std::function<void(std::size_t, const Score&)>& each) {
  require_fit(pairs);
  for (std::size_t first = 0; first < pairs.size();) {
    std::size_t next = first;
    {
      const FloatEnvironment rounding;
      next = read_contexts(pairs, first);
      read_continuations(pairs);
      contexts_.clear();
    }
    for (std::size_t i = first; i < next; ++i) each(i, scores_[i - first]);
    first = next;
  }
}

}  // namespace kelda
