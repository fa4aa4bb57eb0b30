#include "engine/repetition.h"

#include <fmt/format.h>

#include <algorithm>

namespace kelda {
namespace {

constexpr int64_t kLongestBlock = 256;
constexpr int64_t kLeastTimes = 8;
constexpr int64_t kLeastTokens = 128;

// How many tokens at the end equal the one `period` before them, the first block counted with them.
int64_t tail_of_period(std::span<const TokenId> tokens, int64_t period) {
  const auto n = static_cast<int64_t>(tokens.size());
  int64_t same = 0;
  while (same + period < n && tokens[static_cast<std::size_t>(n - 1 - same)] ==
                                  tokens[static_cast<std::size_t>(n - 1 - same - period)]) {
    ++same;
  }
  return same + period;
}

}  // namespace

std::optional<Loop> find_loop(std::span<const TokenId> tokens) {
  const auto n = static_cast<int64_t>(tokens.size());
  for (int64_t period = 1; period <= kLongestBlock; ++period) {
    const int64_t needed = std::max(kLeastTimes * period, kLeastTokens);
    if (needed > n) break;
    // Of a longer tail only as much is looked at as it takes, so that a near miss stays cheap.
    const auto end = tokens.last(static_cast<std::size_t>(needed));
    if (tail_of_period(end, period) >= needed) return Loop{period, tail_of_period(tokens, period)};
  }
  return std::nullopt;
}

std::string loop_notice(const Loop& loop) {
  return fmt::format(
      "the answer ends in a loop: its last {} tokens are {} again and again. A repetition_penalty of 1.1 to "
      "1.3, or a higher temperature, often breaks it",
      loop.n_tokens, loop.period == 1 ? "one token" : fmt::format("a block of {} tokens", loop.period));
}

}  // namespace kelda
