#include "text/detokenizer.h"

#include "base/utf8.h"

namespace kelda::text {

std::string Utf8Stream::push(std::string_view bytes) {
  held_ += bytes;
  std::string out;
  std::size_t done = 0;
  while (done < held_.size()) {
    const Utf8Sequence s = next_utf8(std::string_view(held_).substr(done));
    if (s.kind == Utf8Sequence::Kind::kUnfinished) break;
    if (s.kind == Utf8Sequence::Kind::kCharacter)
      out.append(held_, done, s.length);
    else
      out += kReplacement;
    done += s.length;
  }
  held_.erase(0, done);
  return out;
}

std::string Utf8Stream::finish() {
  const bool unfinished =
      !held_.empty();  // then it is one part: push() leaves at most the beginning of a character
  held_.clear();
  return unfinished ? std::string(kReplacement) : std::string();
}

Detokenizer::Detokenizer(const Tokenizer& tokenizer, bool show_special, Start start)
    : tokenizer_(&tokenizer), show_special_(show_special), at_start_(start == Start::kText) {}

std::string Detokenizer::push(TokenId id) {
  if (!at_start_) return utf8_.push(tokenizer_->bytes(id, show_special_));
  // A token that shows nothing leaves the next one at the beginning; one whose blank was dropped does not.
  at_start_ = tokenizer_->bytes(id, show_special_).empty();
  return utf8_.push(tokenizer_->first_bytes(id, show_special_));
}

std::string Detokenizer::finish() { return utf8_.finish(); }

StopMatcher::StopMatcher(const std::vector<std::string>& stops) {
  for (std::size_t i = 0; i < stops.size(); ++i) trie_.add(stops[i], static_cast<int32_t>(i));
  // A node's failure node is shallower, so go by depth: children of the nodes handled so far, level by level.
  const auto n = static_cast<std::size_t>(trie_.n_nodes());
  std::vector<std::vector<ByteTrie::Node>> levels;
  for (ByteTrie::Node node = 0; node < trie_.n_nodes(); ++node) {
    const auto depth = static_cast<std::size_t>(trie_.depth(node));
    if (depth >= levels.size()) levels.resize(depth + 1);
    levels[depth].push_back(node);
  }
  fail_.assign(n, ByteTrie::kRoot);
  found_.assign(n, ByteTrie::kNone);
  for (std::size_t depth = 1; depth < levels.size(); ++depth) {
    for (const ByteTrie::Node node : levels[depth]) {
      const auto at = static_cast<std::size_t>(node);
      if (depth > 1) {
        state_ = fail_[static_cast<std::size_t>(trie_.parent(node))];
        step(trie_.byte(node));
        fail_[at] = state_;
      }
      found_[at] = trie_.value(node) >= 0 ? node : found_[static_cast<std::size_t>(fail_[at])];
    }
  }
  state_ = ByteTrie::kRoot;
}

void StopMatcher::step(uint8_t byte) {
  ByteTrie::Node next = trie_.child(state_, byte);
  while (next == ByteTrie::kNone && state_ != ByteTrie::kRoot) {
    state_ = fail_[static_cast<std::size_t>(state_)];
    next = trie_.child(state_, byte);
  }
  state_ = next == ByteTrie::kNone ? ByteTrie::kRoot : next;
}

std::string StopMatcher::release(std::size_t end) {
  std::string out = held_.substr(shown_, end - shown_);
  shown_ = end;
  if (shown_ > held_.size() / 2) {  // erasing at every push would move a long held text each time
    held_.erase(0, shown_);
    if (candidate_ >= 0) candidate_begin_ -= shown_;
    shown_ = 0;
  }
  return out;
}

std::string StopMatcher::settle() {
  matched_ = candidate_;
  std::string out = release(candidate_begin_);
  held_.clear();
  return out;
}

std::string StopMatcher::push(std::string_view text) {
  if (matched_ >= 0) return {};
  std::size_t end = held_.size();
  held_ += text;
  while (end < held_.size()) {
    step(static_cast<uint8_t>(held_[end++]));
    if (const ByteTrie::Node found = found_[static_cast<std::size_t>(state_)]; found != ByteTrie::kNone) {
      const std::size_t begin = end - static_cast<std::size_t>(trie_.depth(found));
      if (candidate_ < 0 || begin < candidate_begin_) {
        candidate_ = trie_.value(found);
        candidate_begin_ = begin;
      }
    }
    // Whatever may still come true begins where the state's text begins, or later.
    const std::size_t open = end - static_cast<std::size_t>(trie_.depth(state_));
    if (candidate_ >= 0 && open >= candidate_begin_) return settle();
  }
  // An open beginning lies before the candidate, else the loop would have settled it.
  return release(end - static_cast<std::size_t>(trie_.depth(state_)));
}

std::string StopMatcher::finish() {
  if (matched_ >= 0) return {};
  state_ = ByteTrie::kRoot;
  return candidate_ >= 0 ? settle() : release(held_.size());
}

}  // namespace kelda::text
