#include "text/bpe_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/utf8.h"
#include "text/added_tokens.h"
#include "text/byte_alphabet.h"

namespace kelda::text {

class BpeModel::BpeEncoder final : public Encoder {
 public:
  explicit BpeEncoder(const BpeModel& model) : model_(model) {}
  void append(std::string_view piece, std::vector<TokenId>& ids) override {
    const BpeModel& m = model_;
    symbols_.clear();
    if (m.options_.ignore_merges) {
      if (m.options_.bytes) {
        written_.clear();
        for (const char c : piece) written_ += byte_characters()[static_cast<uint8_t>(c)];
      }
      const TokenId whole = m.vocabulary_->find(m.options_.bytes ? std::string_view(written_) : piece);
      if (m.is_text(whole)) {
        ids.push_back(whole);
        return;
      }
    }
    if (m.options_.bytes)
      m.to_bytes(piece, symbols_);
    else
      m.to_characters(piece, symbols_);
    m.merges_.apply(symbols_, scratch_);
    ids.insert(ids.end(), symbols_.begin(), symbols_.end());
  }

 private:
  const BpeModel& model_;
  std::string written_;
  std::vector<TokenId> symbols_;
  BpeMerges::Scratch scratch_;
};

BpeModel::BpeModel(std::shared_ptr<const Vocabulary> vocabulary, std::vector<Vocabulary::Merge> merges,
                   const Options& options)
    : vocabulary_(std::move(vocabulary)), options_(options), merges_(std::move(merges)) {
  for (std::size_t b = 0; b < 256; ++b) {
    const TokenId id = vocabulary_->find(options.bytes ? byte_characters()[b] : fmt::format("<0x{:02X}>", b));
    byte_ids_[b] = is_text(id) ? id : -1;  // a control token never stands for a byte
  }
  for (std::size_t c = 0; c < ascii_ids_.size(); ++c) {
    const char character = static_cast<char>(c);
    const TokenId id = vocabulary_->find({&character, 1});
    ascii_ids_[c] = is_text(id) ? id : -1;
  }
}

bool BpeModel::is_text(TokenId id) const { return id >= 0 && !is_special(vocabulary_->type(id)); }

std::unique_ptr<SubwordModel::Encoder> BpeModel::encoder() const {
  return std::make_unique<BpeEncoder>(*this);
}

std::optional<std::vector<std::string>> BpeModel::joined_before(std::string_view mark) const {
  const bool nothing_is_lost =
      options_.unknown >= 0 ||
      (options_.byte_fallback && std::find(byte_ids_.begin(), byte_ids_.end(), -1) == byte_ids_.end());
  if (options_.bytes || options_.ignore_merges || !nothing_is_lost || !is_text(vocabulary_->find(mark)))
    return std::nullopt;
  std::vector<std::string> characters;
  for (const Vocabulary::Merge& m : merges_.all()) {
    const std::string& left = vocabulary_->piece(m.left);
    if (!vocabulary_->piece(m.right).starts_with(mark) || left.ends_with(mark)) continue;
    std::size_t last = left.size() - 1;
    while (last > 0 && (static_cast<uint8_t>(left[last]) & 0xC0) == 0x80) --last;
    characters.push_back(left.substr(last));
  }
  std::sort(characters.begin(), characters.end());
  characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
  return characters;
}

void BpeModel::to_bytes(std::string_view piece, std::vector<TokenId>& symbols) const {
  for (const char c : piece) add_or_unknown(byte_ids_[static_cast<uint8_t>(c)], symbols);
}

void BpeModel::add_or_unknown(TokenId id, std::vector<TokenId>& symbols) const {
  if (id >= 0)
    symbols.push_back(id);
  else if (options_.unknown >= 0 &&
           !(options_.fuse_unknown && !symbols.empty() && symbols.back() == options_.unknown))
    symbols.push_back(options_.unknown);
}

void BpeModel::to_characters(std::string_view piece, std::vector<TokenId>& symbols) const {
  for (std::size_t i = 0; i < piece.size();) {
    const auto first = static_cast<uint8_t>(piece[i]);
    const std::size_t length = first < 0x80 ? 1 : next_utf8(piece.substr(i)).length;
    const std::string_view character = piece.substr(i, length);
    i += length;
    const TokenId id = first < 0x80 ? ascii_ids_[first] : vocabulary_->find(character);
    const auto byte_id = [&](char c) { return byte_ids_[static_cast<uint8_t>(c)]; };
    if (!is_text(id) && options_.byte_fallback &&
        std::all_of(character.begin(), character.end(), [&](char c) { return byte_id(c) >= 0; })) {
      for (const char c : character) symbols.push_back(byte_id(c));
    } else {
      add_or_unknown(is_text(id) ? id : -1, symbols);
    }
  }
}

std::vector<Vocabulary::Merge> merges_of_scores(const Vocabulary& v) {
  const auto is_text = [&](TokenId id) {
    const TokenType type = v.type(id);
    return type == TokenType::kNormal || type == TokenType::kUserDefined || type == TokenType::kUnused;
  };
  std::vector<Vocabulary::Merge> merges;
  for (TokenId id = 0; id < v.size(); ++id) {
    if (!is_text(id)) continue;
    const std::string_view piece = v.piece(id);
    for (std::size_t cut = 1; cut < piece.size(); ++cut) {
      if ((static_cast<uint8_t>(piece[cut]) & 0xC0) == 0x80) continue;
      const TokenId left = v.find(piece.substr(0, cut));
      if (left < 0) continue;
      const TokenId right = v.find(piece.substr(cut));
      if (right >= 0) merges.push_back({left, right, id});
    }
  }
  const auto characters = [&](TokenId id) {
    const std::string& piece = v.piece(id);
    return std::count_if(piece.begin(), piece.end(),
                         [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; });
  };
  const auto score = [&](TokenId id) { return v.scores()[static_cast<std::size_t>(id)]; };
  std::stable_sort(merges.begin(), merges.end(), [&](const auto& a, const auto& b) {
    if (a.result == b.result) return characters(a.left) > characters(b.left);
    if (score(a.result) != score(b.result)) return score(a.result) > score(b.result);
    return std::tuple(characters(a.left), characters(a.right)) >
           std::tuple(characters(b.left), characters(b.right));
  });
  return merges;
}

}  // namespace kelda::text
