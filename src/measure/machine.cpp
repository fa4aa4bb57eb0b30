#include "measure/machine.h"

#include <algorithm>

namespace kelda::measure {
namespace {

constexpr int kPasses = 3;
constexpr int64_t kPeakTokens = 32;

}  // namespace

Machine::Machine(Exec exec, const Needs& needs)
    : pool_(exec.pool),
      memory_(exec.pool),
      int8_(exec, *quant::find_format(std::string_view("q8_0")), kPeakTokens) {
  for (const quant::FormatSpec* spec : needs.formats) {
    const bool known =
        std::any_of(formats_.begin(), formats_.end(), [&](const Format& f) { return f.spec == spec; });
    if (!known) formats_.push_back({spec, MatmulRate(exec, *spec, 1), 0});
  }
  if (needs.n_heads > 0) {
    attention_rate_ =
        std::make_unique<AttentionRate>(exec, needs.kv_type, needs.n_heads, needs.n_kv_heads, needs.head_dim);
  }
}

void Machine::round() {
  for (int i = 0; i < kPasses; ++i) {
    bytes_per_s_ = std::max(bytes_per_s_, memory_.pass());
    for (Format& f : formats_) f.best = std::max(f.best, f.rate.pass());
    if (attention_rate_) attention_ = std::max(attention_, attention_rate_->pass());
    int8_peak_ = std::max(int8_peak_, int8_.pass());
    region_seconds_ = std::min(region_seconds_, measure::region_seconds(pool_));
  }
}

double Machine::macs_per_s(const quant::FormatSpec& format) const {
  const auto at =
      std::find_if(formats_.begin(), formats_.end(), [&](const Format& f) { return f.spec == &format; });
  return at == formats_.end() ? 0 : at->best;
}

}  // namespace kelda::measure
