#include "state/sequence.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/checked.h"
#include "base/error.h"

namespace kelda {

Sequence::Sequence(KvCache& cache) : cache_(&cache), tables_(static_cast<std::size_t>(cache.n_groups())) {}

Sequence::~Sequence() { release_all(); }

Sequence::Sequence(Sequence&& other) noexcept
    : cache_(other.cache_), length_(std::exchange(other.length_, 0)), tables_(std::move(other.tables_)) {
  other.tables_.clear();
}

void Sequence::release_all() {
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    for (const BlockId b : tables_[g]) {
      if (b != kNoBlock) cache_->pool(static_cast<int>(g)).release(b);
    }
  }
}

Sequence Sequence::fork() const {
  Sequence copy(*cache_);
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    copy.tables_[g].reserve(tables_[g].size());
    for (const BlockId b : tables_[g]) {  // an owner for each block that the copy lists, at every moment
      if (b != kNoBlock) cache_->pool(static_cast<int>(g)).share(b);
      copy.tables_[g].push_back(b);
    }
  }
  copy.length_ = length_;
  return copy;
}

void Sequence::reserve(int64_t n) {
  KELDA_CHECK(n >= 0);
  const auto wanted = static_cast<std::size_t>(ceil_div(length_ + n, kKvBlock));
  const auto writing = static_cast<std::size_t>(length_ / kKvBlock);  // the block of the next token
  for (std::size_t g = 0; g < tables_.size();
       ++g) {  // first what can fail, so that a refusal changes nothing
    BlockPool& pool = cache_->pool(static_cast<int>(g));
    auto& table = tables_[g];
    int64_t needed = table.size() < wanted ? static_cast<int64_t>(wanted - table.size()) : 0;
    for (std::size_t i = writing; i < std::min(wanted, table.size()); ++i)
      needed += pool.owners(table[i]) > 1;
    if (needed > pool.n_free()) {
      fail(ErrorCode::kOutOfMemory,
           "the KV cache is full: {} more blocks of {} tokens are needed, {} of {} are free", needed,
           kKvBlock, pool.n_free(), pool.n_blocks());
    }
    table.reserve(wanted);
    pool.prepare(needed);
  }
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    const int group = static_cast<int>(g);
    BlockPool& pool = cache_->pool(group);
    auto& table = tables_[g];
    for (std::size_t i = writing; i < std::min(wanted, table.size()); ++i) {
      if (pool.owners(table[i]) == 1) continue;
      const BlockId own = pool.take();
      cache_->copy_block(group, table[i], own);
      pool.release(table[i]);
      table[i] = own;
    }
    while (table.size() < wanted) table.push_back(pool.take());
  }
}

void Sequence::advance(int64_t n) {
  length_ += n;
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    auto& table = tables_[g];
    KELDA_CHECK(length_ <= static_cast<int64_t>(table.size()) * kKvBlock);
    const int64_t window = cache_->window(static_cast<int>(g));
    if (window == 0) continue;
    // The next token, at position length_, sees keys from length_ − window + 1 on.
    const int64_t first_needed = std::max<int64_t>(0, length_ - window + 1) / kKvBlock;
    for (int64_t i = first_needed; i-- > 0 && table[static_cast<std::size_t>(i)] != kNoBlock;) {
      cache_->pool(static_cast<int>(g)).release(table[static_cast<std::size_t>(i)]);
      table[static_cast<std::size_t>(i)] = kNoBlock;
    }
  }
}

void Sequence::truncate(int64_t n) {
  KELDA_CHECK(n >= 0 && n <= length_);
  const auto kept = static_cast<std::size_t>(ceil_div(n, kKvBlock));
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    auto& table = tables_[g];
    const int64_t window = cache_->window(static_cast<int>(g));
    const auto oldest =
        static_cast<std::size_t>(window == 0 ? 0 : std::max<int64_t>(0, n - window + 1) / kKvBlock);
    KELDA_CHECK(oldest >= kept || table[oldest] != kNoBlock);
    while (table.size() > kept) {
      if (table.back() != kNoBlock) cache_->pool(static_cast<int>(g)).release(table.back());
      table.pop_back();
    }
  }
  length_ = n;
}

int64_t Sequence::earliest() const {
  int64_t n = 0;
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    const auto& table = tables_[g];
    const int64_t freed =
        std::find_if(table.begin(), table.end(), [](BlockId b) { return b != kNoBlock; }) - table.begin();
    // A token at n sees keys from n − window + 1 on: the first of them must be past the freed blocks.
    if (freed > 0) n = std::max(n, freed * kKvBlock + cache_->window(static_cast<int>(g)) - 1);
  }
  return std::min(n, length_);
}

}  // namespace kelda
