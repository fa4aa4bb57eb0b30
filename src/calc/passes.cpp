#include "calc/passes.h"

#include "calc/exact.h"

namespace kelda::calc {

namespace {

// 1 + 2 + … + n.
uint64_t sum_up_to(const char* what, int64_t n) {
  const int64_t even = n % 2 == 0 ? n : n + 1, odd = n % 2 == 0 ? n + 1 : n;
  return product(what, {even / 2, odd});
}

}  // namespace

Passes naive_passes(int64_t n_prompt, int64_t n_new) {
  constexpr char kWhat[] = "the token passes of naive decoding";
  if (n_new == 0) return {};
  const uint64_t prompts = product(kWhat, {n_prompt, n_new});
  return {static_cast<uint64_t>(n_new), plus(kWhat, prompts, sum_up_to(kWhat, n_new - 1))};
}

Passes cached_passes(int64_t n_prompt, int64_t n_new) {
  if (n_new == 0) return {};
  return {static_cast<uint64_t>(n_new), plus("the token passes of decoding", static_cast<uint64_t>(n_prompt),
                                             static_cast<uint64_t>(n_new - 1))};
}

uint64_t score_matrix(int64_t n) { return product("the attention scores", {n, n}); }

uint64_t causal_scores(int64_t n) { return sum_up_to("the attention scores", n); }

}  // namespace kelda::calc
