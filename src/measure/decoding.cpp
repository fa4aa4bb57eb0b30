#include "measure/decoding.h"

#include <chrono>
#include <iterator>

namespace kelda::measure {
namespace {

// Times and counts what `write` does, which adds to the tokens.
template <typename Write>
Decoding counted(const Runner& runner, const Write& write) {
  Decoding d;
  const int64_t passes = runner.n_passes(), token_passes = runner.n_token_passes();
  const auto start = std::chrono::steady_clock::now();
  write(d.tokens);
  d.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  d.n_passes = runner.n_passes() - passes;
  d.n_token_passes = runner.n_token_passes() - token_passes;
  return d;
}

TokenId likeliest(const Runner& runner, std::span<const float> logits) {
  return static_cast<TokenId>(runner.kernels().argmax(logits.data(), static_cast<int64_t>(logits.size())));
}

}  // namespace

Decoding decode_cached(Runner& runner, std::span<const TokenId> prompt, int64_t n, const Progress& progress) {
  const auto n_prompt = static_cast<int64_t>(prompt.size());
  const int64_t total = n_prompt + n - 1;
  return counted(runner, [&](std::vector<TokenId>& tokens) {
    Sequence sequence(runner.cache());
    std::span<const TokenId> next = prompt;
    while (static_cast<int64_t>(tokens.size()) < n) {
      tokens.push_back(likeliest(runner, read(runner, sequence, next, n_prompt)));
      next = {&tokens.back(), 1};
      if (progress) progress(sequence.length(), total);
    }
  });
}

Decoding decode_naive(Runner& runner, std::span<const TokenId> prompt, int64_t n, const Progress& progress) {
  const auto n_prompt = static_cast<int64_t>(prompt.size());
  const int64_t total = n * n_prompt + n * (n - 1) / 2;
  return counted(runner, [&](std::vector<TokenId>& tokens) {
    std::vector<TokenId> text(prompt.begin(), prompt.end());
    int64_t done = 0;
    while (static_cast<int64_t>(tokens.size()) < n) {
      Sequence sequence(runner.cache());  // a new one: it knows nothing
      done += static_cast<int64_t>(text.size());
      tokens.push_back(likeliest(runner, read(runner, sequence, text, std::ssize(text))));
      text.push_back(tokens.back());
      if (progress) progress(done, total);
    }
  });
}

}  // namespace kelda::measure
