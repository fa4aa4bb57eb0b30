#include "sampling/candidates.h"

#include <limits>

#include "base/check.h"

namespace kelda::sampling {

BestOf::BestOf(std::size_t n, std::size_t n_all, std::vector<Candidate>& out)
    : n_(n), capacity_(capacity(n, n_all)), out_(out) {
  KELDA_CHECK(n >= 1);
  out_.clear();
  out_.reserve(capacity_);
}

void BestOf::cut() {
  if (out_.size() < n_) return;
  std::nth_element(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(n_ - 1), out_.end(), better);
  out_.resize(n_);
  bar_ = out_.back().logit;
  full_ = true;
}

void BestOf::finish(bool sorted) {
  cut();
  if (sorted) std::sort(out_.begin(), out_.end(), better);
}

void Candidates::assign(std::span<const float> logits) {
  any_banned_ = false;
  vocab_size_ = logits.size();
  items_.resize(logits.size());
  std::size_t n = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const float x = logits[i];
    items_[n] = {static_cast<TokenId>(i), std::min(x, std::numeric_limits<float>::max())};
    n += x >= std::numeric_limits<float>::lowest()
             ? 1
             : 0;  // false for −inf and NaN, which the next one overwrites
  }
  items_.resize(n);
}

Candidate* Candidates::find(TokenId id) {
  if (id < 0) return nullptr;
  const auto index = static_cast<std::size_t>(id);
  if (index < items_.size() && items_[index].id == id) return &items_[index];
  const auto it = std::lower_bound(items_.begin(), items_.end(), id,
                                   [](const Candidate& c, TokenId wanted) { return c.id < wanted; });
  return it != items_.end() && it->id == id ? &*it : nullptr;
}

Candidate Candidates::best() const {
  KELDA_CHECK(!items_.empty());
  Candidate best = items_.front();
  for (const Candidate& c : items_) {
    if (c.logit > best.logit) best = c;
  }
  return best;
}

Candidate Candidates::nth_best(std::size_t n) {
  if (n == 1) return best();
  KELDA_CHECK(n >= 1 && n <= items_.size());
  BestOf best_of(n, vocab_size_, scratch_);  // sized by what there can be: the same buffer in each draw
  for (const Candidate& c : items_) best_of.offer(c);
  best_of.finish(false);
  return scratch_.back();
}

void Candidates::keep_best(std::size_t n) {
  if (n > 1) scratch_.reserve(BestOf::capacity(n, vocab_size_));  // in any case: a later draw may need it
  if (n < items_.size()) keep_down_to(nth_best(n));
}

void Candidates::keep_down_to(const Candidate& last) {
  drop_if([last](const Candidate& c) { return better(last, c); });
}

}  // namespace kelda::sampling
