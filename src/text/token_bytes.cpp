#include "text/token_bytes.h"

#include "text/added_tokens.h"
#include "text/byte_alphabet.h"

namespace kelda::text {
namespace {

using Kind = DecoderRules::Kind;

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t at; !from.empty() && (at = text.find(from, done)) != std::string_view::npos;
       done = at + from.size()) {
    out += text.substr(done, at - done);
    out += to;
  }
  return out += text.substr(done);
}

// No blank before punctuation and English contractions, as BERT's decoder has it, token by token.
std::string tidied(std::string text) {
  static constexpr std::string_view kTight[][2] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : kTight) text = replaced(text, from, to);
  return text;
}

// A word, or what goes on with one, without its mark; true if it begins a word.
std::pair<std::string_view, bool> word_of(std::string_view piece, const DecoderRules& rules) {
  const bool marked = !rules.mark.empty() && piece.starts_with(rules.mark);
  if (marked) piece.remove_prefix(rules.mark.size());
  return {piece, marked == (rules.kind == Kind::kMarkedWords)};
}

std::string bytes_of(std::string_view piece, TokenType type, const DecoderRules& rules) {
  const bool added = is_special(type) || type == TokenType::kUserDefined;
  if (rules.kind == Kind::kWords || rules.kind == Kind::kMarkedWords) {
    const auto [word, begins] = added ? std::pair(piece, true) : word_of(piece, rules);
    std::string text(begins ? 1 : 0, ' ');
    text += word;
    return rules.tidy ? tidied(std::move(text)) : text;
  }
  if (type == TokenType::kByte)
    if (const auto byte = byte_of_piece(piece)) return std::string(1, *byte);
  if (rules.kind == Kind::kMetaspace && !is_special(type)) return replaced(piece, rules.mark, " ");
  if (added) return std::string(piece);
  if (rules.kind == Kind::kByteLevel) return bytes_of_piece(piece).value_or(std::string(piece));
  return std::string(piece);
}

}  // namespace

std::vector<std::string> token_bytes(const Vocabulary& vocabulary, const DecoderRules& rules) {
  std::vector<std::string> all;
  all.reserve(static_cast<std::size_t>(vocabulary.size()));
  for (TokenId id = 0; id < vocabulary.size(); ++id)
    all.push_back(bytes_of(vocabulary.piece(id), vocabulary.type(id), rules));
  return all;
}

std::string first_token_bytes(std::string_view piece, std::string_view bytes, const DecoderRules& rules) {
  if (rules.kind == Kind::kWords) return rules.tidy ? tidied(std::string(piece)) : std::string(piece);
  using Drop = DecoderRules::Drop;
  if (rules.at_start == Drop::kAllBlanks && bytes == replaced(piece, rules.mark, " "))
    return replaced(piece, rules.mark, "");
  const bool drop = rules.at_start != Drop::kNothing || rules.kind == Kind::kMarkedWords;
  if (drop && bytes.starts_with(' ')) bytes.remove_prefix(1);
  return std::string(bytes);
}

}  // namespace kelda::text
