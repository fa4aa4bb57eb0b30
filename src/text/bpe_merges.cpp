// The symbols form a doubly linked list over their positions, so a merge is O(1), and a heap holds the pairs
// that may be merged. An entry is (rank, position of the left symbol) in one number, so the smallest is the
// one to merge next. When a merge changes a neighbour, the old entry stays behind; it is seen to be stale
// because the symbols at its position are no longer the ones that its rank joins.
#include "text/bpe_merges.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/check.h"

namespace kelda::text {
namespace {

constexpr uint32_t kEnd = UINT32_MAX;
constexpr TokenId kDead = -1;

std::size_t hash(TokenId left, TokenId right) {
  const uint64_t key =
      static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
  const uint64_t h = key * 0x9E3779B97F4A7C15u;
  return static_cast<std::size_t>(h ^ h >> 32);
}

}  // namespace

BpeMerges::BpeMerges(std::vector<Vocabulary::Merge> merges) : merges_(std::move(merges)) {
  table_.assign(std::bit_ceil(merges_.size() * 2 + 1), Slot{kDead, kDead, kNoRank});
  const std::size_t mask = table_.size() - 1;
  for (uint32_t r = 0; r < merges_.size(); ++r) {
    std::size_t at = hash(merges_[r].left, merges_[r].right) & mask;
    while (table_[at].rank != kNoRank) at = (at + 1) & mask;
    table_[at] = {merges_[r].left, merges_[r].right, r};
  }
}

uint32_t BpeMerges::rank(TokenId left, TokenId right) const {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = hash(left, right) & mask;; at = (at + 1) & mask) {
    const Slot& s = table_[at];
    if (s.rank == kNoRank || (s.left == left && s.right == right)) return s.rank;
  }
}

void BpeMerges::apply(std::vector<TokenId>& symbols, Scratch& s) const {
  const std::size_t n = symbols.size();
  KELDA_CHECK(n < kEnd);
  if (n < 2) return;
  s.next.resize(n);
  s.previous.resize(n);
  s.heap.clear();
  const auto entry = [&](uint32_t left, uint32_t right) -> uint64_t {
    return static_cast<uint64_t>(rank(symbols[left], symbols[right])) << 32 | left;
  };
  constexpr uint64_t kFirstWithoutRank = static_cast<uint64_t>(kNoRank) << 32;
  for (uint32_t i = 0; i < n; ++i) {
    s.previous[i] = i == 0 ? kEnd : i - 1;
    s.next[i] = i + 1 == n ? kEnd : i + 1;
    if (i == 0) continue;
    if (const uint64_t e = entry(i - 1, i); e < kFirstWithoutRank) s.heap.push_back(e);
  }
  std::make_heap(s.heap.begin(), s.heap.end(), std::greater<>());
  const auto push = [&](uint32_t left, uint32_t right) {
    const uint64_t e = entry(left, right);
    if (e >= kFirstWithoutRank) return;
    s.heap.push_back(e);
    std::push_heap(s.heap.begin(), s.heap.end(), std::greater<>());
  };
  while (!s.heap.empty()) {
    std::pop_heap(s.heap.begin(), s.heap.end(), std::greater<>());
    const uint64_t top = s.heap.back();
    s.heap.pop_back();
    const Vocabulary::Merge& m = merges_[top >> 32];
    const auto at = static_cast<uint32_t>(top);
    const uint32_t right = s.next[at];
    if (symbols[at] != m.left || right == kEnd || symbols[right] != m.right) continue;  // stale
    symbols[at] = m.result;
    symbols[right] = kDead;
    s.next[at] = s.next[right];
    if (s.next[at] != kEnd) {
      s.previous[s.next[at]] = at;
      push(at, s.next[at]);
    }
    if (s.previous[at] != kEnd) push(s.previous[at], at);
  }
  std::erase(symbols, kDead);
}

}  // namespace kelda::text
