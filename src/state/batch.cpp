#include "state/batch.h"

namespace kelda {

void Batch::clear() {
  tokens.clear();
  positions.clear();
  runs.clear();
  logit_rows.clear();
}

void Batch::add(Sequence& sequence, std::span<const int32_t> ids, Logits logits) {
  if (ids.empty()) return;
  const auto n = static_cast<int64_t>(ids.size());
  sequence.reserve(n);
  runs.push_back({&sequence, n_rows(), n, sequence.length()});
  for (int64_t i = 0; i < n; ++i) {
    if (logits == Logits::kAll || (logits == Logits::kLast && i == n - 1)) {
      logit_rows.push_back(static_cast<int32_t>(n_rows()));
    }
    tokens.push_back(ids[static_cast<std::size_t>(i)]);
    positions.push_back(static_cast<int32_t>(sequence.length() + i));
  }
}

}  // namespace kelda
