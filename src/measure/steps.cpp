#include "measure/steps.h"

#include <chrono>

namespace kelda::measure {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

StepsAtDepth::StepsAtDepth(Runner& runner, int64_t depth, const Progress& progress)
    : runner_(runner), depth_(depth), base_(runner.cache()) {
  const auto ids = some_tokens(depth - 1, runner.model().config().vocab_size, 1);
  read(runner, base_, ids, kPrefillChunk, progress);
}

std::vector<double> StepsAtDepth::pass(int n_steps) {
  const auto ids = some_tokens(n_steps + 1, runner_.model().config().vocab_size, 2);
  Sequence copy = base_.fork();  // whose first token copies the block that it is written to
  std::vector<double> seconds;
  for (const TokenId& id : ids) {
    const auto start = Clock::now();
    read(runner_, copy, {&id, 1}, 1);
    seconds.push_back(since(start));
  }
  seconds.erase(seconds.begin());
  return seconds;
}

double seconds_to_read(Runner& runner, int64_t n, const Progress& progress) {
  const auto ids = some_tokens(n, runner.model().config().vocab_size, 1);
  Sequence sequence(runner.cache());
  const auto start = Clock::now();
  read(runner, sequence, ids, kPrefillChunk, progress);
  return since(start);
}

}  // namespace kelda::measure
