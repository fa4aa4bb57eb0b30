// One draw from a vocabulary of 262,144, the largest in use, on one thread. The counter is the share of the
// time that sorting those logits once would take.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "sampling/chain.h"
#include "sampling/request_knobs.h"

namespace {

using namespace kelda;
using namespace kelda::sampling;

constexpr std::size_t kVocab = 262144;

// As models give them: near a normal distribution, with a few that stand out.
const std::vector<float>& logits() {
  static const std::vector<float> all = [] {
    std::vector<float> out(kVocab);
    for (std::size_t i = 0; i < kVocab; ++i) {
      const auto at = static_cast<uint32_t>(i);
      double sum = 0;
      for (uint32_t n = 0; n < 4; ++n) sum += uniform({1, 0, at}, n) - 0.5;
      out[i] = static_cast<float>(4 * sum + (i % 4001 == 0 ? 8 + 6 * uniform({1, 0, at}, 4) : 0));
    }
    return out;
  }();
  return all;
}

double seconds_to_sort() {
  static const double seconds = [] {
    double best = 1e9;
    for (int round = 0; round < 3; ++round) {
      std::vector<Candidate> all(kVocab);
      for (std::size_t i = 0; i < kVocab; ++i) all[i] = {static_cast<TokenId>(i), logits()[i]};
      const std::clock_t start = std::clock();  // of the processor, as the counter is
      std::sort(all.begin(), all.end(), better);
      best = std::min(best, static_cast<double>(std::clock() - start) / static_cast<double>(CLOCKS_PER_SEC));
      benchmark::DoNotOptimize(all.data());
    }
    return best;
  }();
  return seconds;
}

void draw(benchmark::State& state, const std::string& settings) {
  Knobs knobs(request_knobs());
  knobs.set_from_json(settings, "bench");
  Chain chain(knobs, kVocab);
  std::vector<TokenId> text(1000);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<TokenId>(i * 7919 % kVocab);
  uint32_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(chain.draw(logits(), {text, {}}, {1, 0, i++}));
  state.counters["of_a_sort"] = benchmark::Counter(
      seconds_to_sort(), static_cast<benchmark::Counter::Flags>(
                             benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert));
}

BENCHMARK_CAPTURE(draw, greedy, R"({"temperature": 0})")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(draw, neutral, "{}")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(draw, with_top_k, R"({"temperature": 0.7, "top_k": 40, "top_p": 0.95, "min_p": 0.05})")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(
    draw, with_top_k_and_penalties,
    R"({"temperature": 0.7, "top_k": 40, "top_p": 0.95, "min_p": 0.05, "repetition_penalty": 1.1,
                      "frequency_penalty": 0.1, "dry_multiplier": 0.8, "dry_sequence_breakers": []})")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(draw, without_top_k, R"({"temperature": 0.7, "top_p": 0.95})")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(draw, without_top_k_min_p, R"({"temperature": 0.7, "top_p": 0.95, "min_p": 0.05})")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(draw, profile_llama_cpp, R"({"profile": "llama.cpp"})")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(draw, typical_p, R"({"typical_p": 0.9})")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(draw, mirostat_2, R"({"mirostat": 2})")->Unit(benchmark::kMicrosecond);

}  // namespace
