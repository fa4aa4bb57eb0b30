// Byte-level BPE, as GPT-2 began it: special tokens are cut out, the rest is cut into pieces by regular
// expressions, and within a piece the bytes are merged. Equal to Hugging Face's tokenizers, ids and quirks: a
// byte that the vocabulary has no token for (SmolLM2 lacks eight that valid text can contain, such as U+0004)
// is left out, and its neighbours meet.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "base/error.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "text/bpe_merges.h"
#include "text/byte_alphabet.h"
#include "text/pre_tokenizers.h"
#include "text/special_tokens.h"
#include "text/tokenizer.h"

namespace kelda::text::byte_bpe {
namespace {

// What pieces of one text became before: words recur, and merging costs more than a look-up. One slot per
// hash value, the latest piece stays: memory is bounded, and pieces chosen to collide cost no more than
// merging them.
class SeenPieces {
 public:
  struct Entry {
    std::string_view piece;    // of the text; empty: free
    std::size_t begin, count;  // its ids in the output
  };
  explicit SeenPieces(std::size_t text_bytes)
      : slots_(std::bit_ceil(std::min(text_bytes / 4 + 1, kMaxSlots))) {}
  Entry& slot(std::string_view piece) {
    return slots_[std::hash<std::string_view>()(piece) & (slots_.size() - 1)];
  }

 private:
  static constexpr std::size_t kMaxSlots = 1 << 14;
  std::vector<Entry> slots_;
};

class ByteBpe final : public Tokenizer {
 public:
  explicit ByteBpe(std::shared_ptr<const Vocabulary> v);
  std::vector<TokenId> encode(std::string_view utf8, Special special) const override;
  std::string bytes(TokenId id, bool show_special) const override;

 private:
  // The ids of one pre-token in `symbols`.
  void merge(std::string_view piece, std::vector<TokenId>& symbols, BpeMerges::Scratch& scratch) const;
  bool is_text(TokenId id) const { return !is_special(vocabulary_->type(id)); }

  PreTokenizer pre_tokenizer_;
  SpecialTokens special_;
  BpeMerges merges_;
  std::vector<std::string> token_bytes_;
  std::array<TokenId, 256> byte_ids_;
};

// A control token that plain letters can merge into would let a user's text act as a marker of the chat
// template.
void check_no_text_is_special(const Vocabulary& v) {
  for (std::size_t i = 0; i < v.merges().size(); ++i) {
    const Vocabulary::Merge& m = v.merges()[i];
    if (is_special(v.type(m.result)))
      fail(ErrorCode::kBadInput,
           "tokenizer.ggml.merges: entry {} ({} and {}) makes a control token out of text", i,
           quote(v.piece(m.left)), quote(v.piece(m.right)));
  }
  for (const std::string& character : byte_characters())
    if (const TokenId id = v.find(character); id >= 0 && is_special(v.type(id)))
      fail(ErrorCode::kBadInput,
           "tokenizer.ggml.token_type: token {} {} is a byte of text, but of type control", id,
           quote(character));
}

ByteBpe::ByteBpe(std::shared_ptr<const Vocabulary> v)
    : Tokenizer(std::move(v)),
      pre_tokenizer_(vocabulary_->pre_tokenizer()),
      special_(*vocabulary_),
      merges_(*vocabulary_) {
  const Vocabulary& all = *vocabulary_;
  if (all.merges().empty()) fail(ErrorCode::kBadInput, "missing key tokenizer.ggml.merges");
  if (all.add_space_prefix())
    fail(ErrorCode::kUnsupported,
         "tokenizer.ggml.add_space_prefix: true is not supported with the model \"gpt2\"");
  check_no_text_is_special(all);
  for (std::size_t b = 0; b < 256; ++b) byte_ids_[b] = all.find(byte_characters()[b]);

  token_bytes_.reserve(static_cast<std::size_t>(all.size()));
  for (TokenId id = 0; id < all.size(); ++id) {
    // Added tokens are stored as text, not in the alphabet of bytes.
    const bool added = !is_text(id) || all.type(id) == TokenType::kUserDefined;
    token_bytes_.push_back(added ? all.piece(id) : bytes_of_piece(all.piece(id)).value_or(all.piece(id)));
  }
}

void ByteBpe::merge(std::string_view piece, std::vector<TokenId>& symbols,
                    BpeMerges::Scratch& scratch) const {
  symbols.clear();
  for (const char c : piece)
    if (const TokenId id = byte_ids_[static_cast<uint8_t>(c)]; id >= 0) symbols.push_back(id);
  merges_.apply(symbols, scratch);
}

std::vector<TokenId> ByteBpe::encode(std::string_view utf8, Special special) const {
  if (const auto at = first_invalid_utf8(utf8))
    fail(ErrorCode::kBadInput, "the text is not valid UTF-8: byte {} does not begin a character", *at);
  if (utf8.size() >= UINT32_MAX)
    fail(ErrorCode::kBadInput, "the text has {} bytes; fewer than 2^32 - 1 are possible", utf8.size());
  std::vector<TokenId> ids, symbols;
  BpeMerges::Scratch scratch;
  PreTokenizer::Cutter cutter(pre_tokenizer_);
  SeenPieces seen(utf8.size());
  const auto encode_piece = [&](std::string_view piece) {
    const std::size_t begin = ids.size();
    SeenPieces::Entry& before = seen.slot(piece);
    if (before.piece == piece) {
      ids.resize(begin + before.count);
      std::copy_n(ids.data() + before.begin, before.count, ids.data() + begin);
      return;
    }
    merge(piece, symbols, scratch);
    ids.insert(ids.end(), symbols.begin(), symbols.end());
    before = {piece, begin, symbols.size()};
  };
  std::size_t done = 0;
  while (done < utf8.size()) {
    const auto match = special_.next(utf8, done, special);
    const std::size_t end = match ? match->begin : utf8.size();
    if (end > done) cutter.cut(utf8.substr(done, end - done), encode_piece);
    if (!match) break;
    ids.push_back(match->id);
    done = match->end;
  }
  return ids;
}

std::string ByteBpe::bytes(TokenId id, bool show_special) const {
  if (id < 0 || id >= vocabulary_->size())
    fail(ErrorCode::kBadInput, "token id {}: the vocabulary has 0 to {}", id, vocabulary_->size() - 1);
  return is_text(id) || show_special ? token_bytes_[static_cast<std::size_t>(id)] : std::string();
}

}  // namespace

const TokenizerKind& kind() {
  static const TokenizerKind k{
      .name = "byte_bpe", .model = "gpt2", .make = [](std::shared_ptr<const Vocabulary> v) {
        return std::unique_ptr<const Tokenizer>(std::make_unique<ByteBpe>(std::move(v)));
      }};
  return k;
}

}  // namespace kelda::text::byte_bpe
