#include "engine/prefix_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kelda {

int64_t common_length(std::span<const TokenId> a, std::span<const TokenId> b) {
  return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

std::string_view name(PrefixLookup::Outcome outcome) {
  switch (outcome) {
    case PrefixLookup::Outcome::kHit:
      return "hit";
    case PrefixLookup::Outcome::kOff:
    case PrefixLookup::Outcome::kNotWanted:
      return "off";
    default:
      return "miss";
  }
}

std::string why(const PrefixLookup& lookup) {
  switch (lookup.outcome) {
    case PrefixLookup::Outcome::kOff:
      return "nothing is kept of earlier requests";
    case PrefixLookup::Outcome::kNotWanted:
      return "logprobs of the prompt were asked for, so all of it is read";
    case PrefixLookup::Outcome::kEmpty:
      return "nothing has been kept of earlier requests yet";
    case PrefixLookup::Outcome::kOneToken:
      return "the last token of a prompt is always read, and there is no other";
    case PrefixLookup::Outcome::kNoneAlike:
      return "no text that is kept begins like this prompt";
    case PrefixLookup::Outcome::kGone:
      return fmt::format(
          "a text that is kept begins with the same {} token{}, but the layers with a window have forgotten "
          "them",
          lookup.n_alike, lookup.n_alike == 1 ? "" : "s");
    case PrefixLookup::Outcome::kHit:
      break;
  }
  return fmt::format("the first {} token{} had been read for another request", lookup.n_alike,
                     lookup.n_alike == 1 ? "" : "s");
}

std::optional<Sequence> PrefixCache::find(std::span<const TokenId> prompt, PrefixLookup* lookup) {
  using Outcome = PrefixLookup::Outcome;
  const auto tell = [&](Outcome outcome, int64_t n_alike) {
    if (lookup != nullptr) *lookup = {outcome, n_alike};
  };
  int64_t most = 0, most_alike = 0;
  auto best = entries_.end();
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    const int64_t common =
        std::min(common_length(prompt, entry->tokens), static_cast<int64_t>(prompt.size()) - 1);
    most_alike = std::max(most_alike, common);
    if (common > most && common >= entry->sequence.earliest()) {
      most = common;
      best = entry;
    }
  }
  if (best == entries_.end()) {
    tell(max_sequences_ == 0  ? Outcome::kOff
         : entries_.empty()   ? Outcome::kEmpty
         : prompt.size() == 1 ? Outcome::kOneToken
         : most_alike == 0    ? Outcome::kNoneAlike
                              : Outcome::kGone,
         most_alike);
    return std::nullopt;
  }
  tell(Outcome::kHit, most);
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
