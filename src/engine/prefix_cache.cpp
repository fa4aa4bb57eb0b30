#include "engine/prefix_cache.h"

#include <algorithm>
#include <utility>

namespace kelda {

int64_t common_length(std::span<const TokenId> a, std::span<const TokenId> b) {
  return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

std::optional<Sequence> PrefixCache::find(std::span<const TokenId> prompt) {
  int64_t most = 0;
  auto best = entries_.end();
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    const int64_t common =
        std::min(common_length(prompt, entry->tokens), static_cast<int64_t>(prompt.size()) - 1);
    if (common > most && common >= entry->sequence.earliest()) {
      most = common;
      best = entry;
    }
  }
  if (best == entries_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, best);
  Sequence found = best->sequence.fork();
  found.truncate(most);
  return found;
}

void PrefixCache::keep(std::vector<TokenId> tokens, Sequence sequence) {
  if (max_sequences_ == 0 || sequence.length() == 0) return;
  sequence.truncate(sequence.length());  // gives back what was reserved and not written
  tokens.resize(static_cast<std::size_t>(sequence.length()));
  entries_.remove_if([&](const Entry& e) {
    return e.tokens.size() <= tokens.size() && std::equal(e.tokens.begin(), e.tokens.end(), tokens.begin());
  });
  entries_.push_front({std::move(tokens), std::move(sequence)});
  while (entries_.size() > max_sequences_) entries_.pop_back();
}

bool PrefixCache::drop_oldest() {
  if (entries_.empty()) return false;
  entries_.pop_back();
  return true;
}

}  // namespace kelda
