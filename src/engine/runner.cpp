#include "engine/runner.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/cpu.h"
#include "base/error.h"
#include "models/rope_override.h"

namespace kelda {
namespace {

KvCache make_cache(const KvShape& shape, int64_t n_tokens) {
  try {
    return KvCache(shape, n_tokens);
  } catch (const Error& e) {
    fail(e.code(), "{}; a smaller window (--window) needs less", e.what());
  }
}

}  // namespace

int64_t checked_window(int64_t asked, int64_t trained) {
  if (asked > trained) {
    fail(
        ErrorCode::kUsage,
        "window (--window) must be in [1, {}], the window that the model was trained on, or 0 for all of it; "
        "got {}",
        trained, asked);
  }
  return asked > 0 ? asked : trained;
}

std::string way_out(int64_t window, int64_t most, int64_t trained) {
  std::string ways;
  if (most > 0) ways = fmt::format("shorten the prompt to at most {} token{}", most, most == 1 ? "" : "s");
  if (window < trained) {
    ways +=
        fmt::format("{}take a larger window (--window, at most {})", ways.empty() ? "" : ", or ", trained);
  }
  return ways.empty() ? "this model has no larger one" : ways;
}

void require_a_number(std::span<const float> logits, int64_t position) {
  constexpr float kLowest = std::numeric_limits<float>::lowest(),
                  kLargest = std::numeric_limits<float>::max();
  const auto is_broken = [](float x) { return !(x <= kLargest); };  // NaN, +infinity
  uint32_t broken = 0, numbers = 0;  // without a way out early: the loop becomes vector instructions
  for (const float x : logits) {
    broken |= is_broken(x) ? 1u : 0u;
    numbers |= x >= kLowest ? 1u : 0u;
  }
  if (broken != 0) {
    const auto first = std::find_if(logits.begin(), logits.end(), is_broken);
    fail(ErrorCode::kInternal,
         "position {}: the model gave token {} the logit {}, which is no number: its weights are broken",
         position, first - logits.begin(), std::isnan(*first) ? "NaN" : "+infinity");
  }
  if (numbers == 0)
    fail(ErrorCode::kInternal, "position {}: the model gave no logit that is a number", position);
}

const kernels::KernelTable& choose_kernels() { return kernels::table_of(choose_isa()); }

namespace {

int64_t window_of(const ModelConfig& config, int64_t asked) {
  const int64_t window = checked_window(asked, config.n_ctx_train);
  models::require_fitting_rope(config, window);
  return window;
}

}  // namespace

Runner::Runner(std::shared_ptr<const Model> model, const Options& options, ThreadPool& pool,
               const kernels::KernelTable& kernels)
    : model_(std::move(model)),
      window_(window_of(model_->config(), options.window)),
      exec_{pool, kernels},
      cache_(make_cache(models::kv_shape(model_->config(), options.kv_type),
                        options.kv_tokens > 0 ? options.kv_tokens : window_)) {}

Matrix<const float> Runner::forward(const Batch& batch) {
  const FloatEnvironment rounding;
  const Matrix<float> logits =
      logits_.shape(static_cast<int64_t>(batch.logit_rows.size()), model_->config().vocab_size);
  model_->network().forward(batch, cache_, scratch_, exec_, logits);
  ++n_passes_;
  n_token_passes_ += batch.n_rows();
  return logits;
}

void Runner::require_fits(int64_t n_tokens) const {
  if (n_tokens <= window_) return;
  fail(ErrorCode::kContextLength, "the prompt has {} tokens and the window is {}: {}", n_tokens, window_,
       way_out(window_, window_, model_->config().n_ctx_train));
}

void Runner::all_logits(std::span<const TokenId> tokens, int64_t chunk,
                        const std::function<void(int64_t, std::span<const float>)>& each) {
  const auto n = static_cast<int64_t>(tokens.size());
  require_fits(n);
  Sequence sequence(cache_);
  Batch batch;
  for (int64_t at = 0; at < n; at += chunk) {
    const int64_t count = std::min(chunk, n - at);
    batch.clear();
    batch.add(sequence, tokens.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count)),
              Batch::Logits::kAll);
    const Matrix<const float> logits = forward(batch);
    sequence.advance(count);
    for (int64_t i = 0; i < count; ++i) {
      require_a_number(logits.row_span(i), at + i);
      each(at + i, logits.row_span(i));
    }
  }
}

}  // namespace kelda
