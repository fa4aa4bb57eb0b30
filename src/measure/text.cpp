#include "measure/text.h"

#include <algorithm>

#include "base/rng.h"

namespace kelda::measure {

std::vector<TokenId> some_tokens(int64_t n, int64_t vocab_size, uint32_t stream) {
  std::vector<TokenId> ids(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<TokenId>(uniform({1, stream, static_cast<uint32_t>(i)}, 0) *
                                  static_cast<double>(vocab_size));
  }
  return ids;
}

std::span<const float> read(Runner& runner, Sequence& sequence, std::span<const TokenId> ids, int64_t chunk,
                            const Progress& progress) {
  const auto step = static_cast<std::size_t>(chunk);
  Batch batch;
  Matrix<const float> logits;
  for (std::size_t at = 0; at < ids.size(); at += step) {
    const auto part = ids.subspan(at, std::min(step, ids.size() - at));
    batch.clear();
    batch.add(sequence, part, at + part.size() == ids.size() ? Batch::Logits::kLast : Batch::Logits::kNone);
    logits = runner.forward(batch);
    sequence.advance(static_cast<int64_t>(part.size()));
    if (progress) progress(static_cast<int64_t>(at + part.size()), static_cast<int64_t>(ids.size()));
  }
  require_a_number(logits.row_span(0), sequence.length() - 1);
  return logits.row_span(0);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace kelda::measure
