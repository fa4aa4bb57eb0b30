#include "text/special_tokens.h"

namespace kelda::text {

bool is_special(TokenType type) { return type == TokenType::kControl || type == TokenType::kUnknown; }

SpecialTokens::SpecialTokens(const Vocabulary& vocabulary) : vocabulary_(&vocabulary) {
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const TokenType type = vocabulary.type(id);
    if ((is_special(type) || type == TokenType::kUserDefined) && !vocabulary.piece(id).empty())
      trie_.add(vocabulary.piece(id), id);
  }
}

std::optional<SpecialTokens::Match> SpecialTokens::next(std::string_view text, std::size_t from,
                                                        Special special) const {
  while (from < text.size()) {
    Match longest{from, from, -1};
    ByteTrie::Node node = ByteTrie::kRoot;
    for (std::size_t i = from; i < text.size(); ++i) {
      node = trie_.child(node, static_cast<uint8_t>(text[i]));
      if (node == ByteTrie::kNone) break;
      if (trie_.value(node) >= 0) longest = {from, i + 1, trie_.value(node)};
    }
    if (longest.id < 0) {
      ++from;
      continue;
    }
    if (special == Special::kParse || !is_special(vocabulary_->type(longest.id))) return longest;
    from = longest.end;  // plain text as a whole: no user-defined token is looked for inside it
  }
  return std::nullopt;
}

}  // namespace kelda::text
