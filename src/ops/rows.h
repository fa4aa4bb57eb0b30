// Splitting row-wise work over threads, and not splitting it where a parallel region costs more than it
// saves.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/checked.h"
#include "base/cpu.h"
#include "ops/exec.h"

namespace kelda::ops {

inline constexpr int64_t kInlineNs = 2000;  // below this much work a region is not worth its start

// Calls body(first, count) over [0, n) in pieces, in parallel if n × unit_ns is more than kInlineNs. unit_ns:
// roughly what one unit takes. What a unit computes must not depend on its piece.
template <typename Body>
void for_pieces(Exec& exec, int64_t n, double unit_ns, const Body& body) {
  if (n <= 0) return;
  if (exec.pool.n_threads() == 1 || static_cast<double>(n) * unit_ns <= kInlineNs) {
    const FloatEnvironment rounding;
    body(int64_t{0}, n);
    return;
  }
  const auto piece = std::max<int64_t>(1, static_cast<int64_t>(kInlineNs / unit_ns));
  exec.pool.run(ceil_div(n, piece), [&](int64_t i, int) { body(i * piece, std::min(piece, n - i * piece)); });
}

}  // namespace kelda::ops
