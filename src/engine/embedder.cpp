#include "engine/embedder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checked.h"
#include "base/cpu.h"
#include "base/error.h"
#include "ops/pooling.h"

namespace kelda {
namespace {

// A batch ends with the text that fills it. Rows enough to read each weight seldom, few enough for the
// processor's cache.
constexpr int64_t kBatchTokens = 1024;
constexpr int64_t kBatchTexts = 64;

int64_t blocks_of(int64_t n_tokens) { return ceil_div(n_tokens, kKvBlock); }

// Room for the largest batch: short texts have a block each, and the last one may be as long as the window.
int64_t cache_tokens(int64_t window) {
  return (kBatchTexts + blocks_of(kBatchTokens) + blocks_of(window)) * kKvBlock;
}

Pooling chosen_pooling(Pooling asked, const ModelConfig& config) {
  if (asked != Pooling::kNone) return asked;
  if (config.pooling != Pooling::kNone) return config.pooling;
  fail(ErrorCode::kUsage,
       "the model does not say how the tokens' vectors become one ({}.pooling_type): choose with --pooling, "
       "mean or cls",
       config.architecture);
}

void require_numbers(Matrix<const float> vectors, std::size_t first) {
  for (int64_t i = 0; i < vectors.rows; ++i) {
    const auto row = vectors.row_span(i);
    if (std::all_of(row.begin(), row.end(), [](float x) { return std::isfinite(x); })) continue;
    fail(ErrorCode::kInternal, "text {}: the model gave a vector that is no number",
         first + static_cast<std::size_t>(i) + 1);
  }
}

}  // namespace

Embedder::Embedder(std::shared_ptr<const Model> model, const Options& options, ThreadPool& pool,
                   const kernels::KernelTable& kernels)
    : model_(std::move(model)),
      pooling_(chosen_pooling(options.pooling, model_->config())),
      normalize_(options.normalize.value_or(model_->config().unit_length)),
      window_(checked_window(options.window, model_->config().n_ctx_train)),
      exec_{pool, kernels},
      cache_(models::kv_shape(model_->config(), KvType::kF32), cache_tokens(window_)) {
  model_->encoder();  // another role ends here, not in the first pass
}

void Embedder::truncate(std::vector<TokenId>& ids) const {
  const auto window = static_cast<std::size_t>(window_);
  if (ids.size() <= window) return;
  const Vocabulary& vocabulary = model_->vocabulary();
  const bool framed = vocabulary.add_eos() && ids.back() == vocabulary.eos();
  ids.resize(window);
  if (framed) ids.back() = vocabulary.eos();
}

void Embedder::require_fit(std::span<const std::vector<TokenId>> texts) const {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) fail(ErrorCode::kBadInput, "text {} has no tokens", i + 1);
    if (static_cast<int64_t>(texts[i].size()) <= window_) continue;
    fail(ErrorCode::kContextLength, "text {} has {} tokens and the window is {}", i + 1, texts[i].size(),
         window_);
  }
}

std::size_t Embedder::run_batch(std::span<const std::vector<TokenId>> texts, std::size_t first,
                                Matrix<float>& out) {
  std::vector<Sequence> sequences;
  sequences.reserve(kBatchTexts);  // the batch points at them
  Batch batch;
  while (first + sequences.size() < texts.size() && batch.n_rows() < kBatchTokens &&
         sequences.size() < kBatchTexts) {
    const auto& ids = texts[first + sequences.size()];
    batch.add(sequences.emplace_back(cache_), ids, Batch::Logits::kNone);
  }
  const Matrix<float> hidden = hidden_.shape(batch.n_rows(), width());
  out = vectors_.shape(static_cast<int64_t>(sequences.size()), width());
  model_->encoder().encode(batch, cache_, scratch_, exec_, hidden);
  if (pooling_ == Pooling::kMean) {
    ops::mean_rows(exec_, hidden, batch.runs, out);
  } else {
    ops::first_rows(exec_, hidden, batch.runs, out);
  }
  if (normalize_) ops::normalize_rows(exec_, out);
  return sequences.size();
}

void Embedder::embed(std::span<const std::vector<TokenId>> texts,
                     const std::function<void(std::size_t, std::span<const float>)>& each) {
  require_fit(texts);
  for (std::size_t first = 0; first < texts.size();) {
    Matrix<float> vectors;
    const std::size_t n = [&] {
      const FloatEnvironment rounding;
      return run_batch(texts, first, vectors);
    }();
    require_numbers(vectors, first);
    for (std::size_t i = 0; i < n; ++i) each(first + i, vectors.row_span(static_cast<int64_t>(i)));
    first += n;
  }
}

}  // namespace kelda
