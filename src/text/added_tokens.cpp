#include "text/added_tokens.h"

#include <algorithm>

#include "base/error.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "text/unicode_classes.h"

namespace kelda::text {
namespace {

// The character of `text` that ends at `end` > 0.
uint32_t character_before(std::string_view text, std::size_t end, std::size_t& begin) {
  begin = end;
  while (begin > 0 && (static_cast<uint8_t>(text[--begin]) & 0xC0) == 0x80) {
  }
  return next_utf8(text.substr(begin)).code_point;
}

bool is_word_between(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t at = 0;
  const bool before = begin > 0 && contains(kAddedWord, character_before(text, begin, at));
  const bool after = end < text.size() && contains(kAddedWord, next_utf8(text.substr(end)).code_point);
  return !before && !after;
}

std::size_t blanks_begin(std::string_view text, std::size_t least, std::size_t end) {
  while (end > least) {
    std::size_t begin = 0;
    if (!contains(kWhitespace, character_before(text, end, begin))) break;
    end = std::max(begin, least);
  }
  return end;
}

std::size_t blanks_end(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const Utf8Sequence s = next_utf8(text.substr(at));
    if (!contains(kWhitespace, s.code_point)) break;
    at += s.length;
  }
  return at;
}

// Whether one of the sorted, disjoint spans holds all of [begin, end).
bool within_one(std::span<const ByteSpan> spans, std::size_t begin, std::size_t end) {
  const auto after = std::upper_bound(spans.begin(), spans.end(), begin,
                                      [](std::size_t at, const ByteSpan& s) { return at < s.begin; });
  return after != spans.begin() && end <= (after - 1)->end;
}

}  // namespace

bool is_special(TokenType type) { return type == TokenType::kControl || type == TokenType::kUnknown; }

std::vector<AddedToken> added_tokens_of(const Vocabulary& vocabulary) {
  std::vector<AddedToken> tokens;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const TokenType type = vocabulary.type(id);
    if ((is_special(type) || type == TokenType::kUserDefined) && !vocabulary.piece(id).empty())
      tokens.push_back({.id = id, .text = vocabulary.piece(id), .special = is_special(type)});
  }
  return tokens;
}

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const AddedToken& t = tokens_[i];
    if (t.text.empty() || t.text.size() > kMaxAddedTokenBytes)
      fail(ErrorCode::kBadInput, "added token {} has {} bytes; 1 to {} are possible", t.id, t.text.size(),
           kMaxAddedTokenBytes);
    // Half a character, found, would leave the other half as text.
    if (!is_utf8(t.text)) fail(ErrorCode::kBadInput, "added token {} is not UTF-8: {}", t.id, quote(t.text));
    trie_.add(t.text, static_cast<int32_t>(i));
  }
}

std::optional<AddedTokens::Match> AddedTokens::next(std::string_view text, std::size_t from,
                                                    std::span<const ByteSpan> special_in,
                                                    std::size_t base) const {
  for (std::size_t at = from; at < text.size();) {
    std::size_t end = at;
    const AddedToken* longest = nullptr;
    ByteTrie::Node node = ByteTrie::kRoot;
    for (std::size_t i = at; i < text.size(); ++i) {
      node = trie_.child(node, static_cast<uint8_t>(text[i]));
      if (node == ByteTrie::kNone) break;
      if (trie_.value(node) < 0) continue;
      longest = &tokens_[static_cast<std::size_t>(trie_.value(node))];
      end = i + 1;
    }
    if (longest == nullptr) {
      ++at;
      continue;
    }
    const bool allowed = (!longest->special || within_one(special_in, base + at, base + end)) &&
                         (!longest->single_word || is_word_between(text, at, end));
    if (allowed)
      return Match{longest->lstrip ? blanks_begin(text, from, at) : at,
                   longest->rstrip ? blanks_end(text, end) : end, longest->id};
    at = end;
  }
  return std::nullopt;
}

}  // namespace kelda::text
