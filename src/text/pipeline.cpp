#include "text/pipeline.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <functional>

#include "base/check.h"
#include "base/error.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "text/token_bytes.h"
#include "text/unicode_classes.h"

namespace kelda::text {
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

enum class Stage { kRaw, kUnchanged, kNormalized };

std::vector<AddedToken> tokens_for(Stage stage, const std::vector<AddedToken>& tokens,
                                   const Normalizer& normalizer) {
  std::vector<AddedToken> out;
  for (AddedToken t : tokens) {
    const bool late = t.normalized && (!t.special || normalizer.empty());
    const Stage its = !t.normalized ? Stage::kRaw : late ? Stage::kNormalized : Stage::kUnchanged;
    if (its != stage) continue;
    std::string written;
    const std::string normal(t.normalized ? normalizer.apply(t.text, written) : t.text);
    if (stage == Stage::kUnchanged && normal != t.text)
      fail(ErrorCode::kUnsupported,
           "added token {} {} is special and normalized, and the normalizer makes {} of it: not supported",
           t.id, quote(t.text), quote(normal));
    t.text = normal;
    if (stage == Stage::kNormalized && t.text.empty()) continue;  // it can never be found
    out.push_back(std::move(t));
  }
  return out;
}

void check_spans(std::span<const ByteSpan> spans, std::size_t size) {
  std::size_t end = 0;
  for (const ByteSpan& s : spans) {
    KELDA_CHECK(s.begin >= end && s.begin <= s.end && s.end <= size);
    end = s.end;
  }
}

}  // namespace

// STATE of one call.
class Pipeline::Encoding {
 public:
  Encoding(const Pipeline& p, std::string_view text, std::span<const ByteSpan> spans)
      : p_(p),
        text_(text),
        spans_(spans),
        cutter_(p.cuts_),
        encoder_(p.model_->encoder()),
        seen_(text.size()),
        sink_([this](std::string_view piece) { encode_piece(piece); }) {}

  std::vector<TokenId> run() && {
    split(p_.raw_, text_, 0, spans_, [this](std::string_view part, std::size_t at) {
      split(p_.unchanged_, part, at, spans_,
            [this](std::string_view rest, std::size_t begin) { encode_text(rest, begin); });
    });
    return std::move(ids_);
  }

 private:
  // Appends the tokens of `added` that are found in `part`, which begins at `at` of the text that `spans` are
  // of, and calls `rest` for what lies between.
  template <typename Rest>
  void split(const AddedTokens& added, std::string_view part, std::size_t at, std::span<const ByteSpan> spans,
             Rest&& rest) {
    std::size_t done = 0;
    while (!added.empty()) {
      const auto match = added.next(part, done, spans, at);
      if (!match) break;
      if (match->begin > done) rest(part.substr(done, match->begin - done), at + done);
      ids_.push_back(match->id);
      done = match->end;
    }
    if (done < part.size()) rest(part.substr(done), at + done);
  }

  void encode_text(std::string_view part, std::size_t at) {
    std::string made;
    std::string_view normal = p_.normalizer_.apply(part, made);
    if (!p_.normalizer_.empty()) normal = kept_.emplace_back(std::move(made));
    // Special tokens of this stage imply that nothing is normalised, so that places are the text's own.
    split(p_.normalized_, normal, at, spans_,
          [&](std::string_view text, std::size_t begin) { cutter_.cut(text, begin == 0, sink_); });
  }

  void encode_piece(std::string_view piece) {
    const std::size_t begin = ids_.size();
    SeenPieces::Entry& before = seen_.slot(piece);
    if (before.piece == piece) {
      ids_.resize(begin + before.count);
      std::copy_n(ids_.data() + before.begin, before.count, ids_.data() + begin);
      return;
    }
    encoder_->append(piece, ids_);
    before = {piece, begin, ids_.size() - begin};
  }

  const Pipeline& p_;
  std::string_view text_;
  std::span<const ByteSpan> spans_;
  std::deque<std::string> kept_;
  PreTokenizer::Cutter cutter_;
  std::unique_ptr<SubwordModel::Encoder> encoder_;
  SeenPieces seen_;
  PreTokenizer::Cutter::Sink sink_;
  std::vector<TokenId> ids_;
};

Pipeline::Pipeline(std::shared_ptr<const Vocabulary> vocabulary, Rules rules,
                   std::unique_ptr<const SubwordModel> model)
    : Tokenizer(std::move(vocabulary)),
      normalizer_(std::move(rules.normalizer)),
      raw_(tokens_for(Stage::kRaw, rules.added, normalizer_)),
      unchanged_(tokens_for(Stage::kUnchanged, rules.added, normalizer_)),
      normalized_(tokens_for(Stage::kNormalized, rules.added, normalizer_)),
      cuts_(std::move(rules.cuts)),
      model_(std::move(model)),
      decoder_(std::move(rules.decoder)),
      bytes_(token_bytes(*vocabulary_, decoder_)) {}

std::vector<TokenId> Pipeline::encode(std::string_view utf8, std::span<const ByteSpan> special_in) const {
  if (const auto at = first_invalid_utf8(utf8))
    fail(ErrorCode::kBadInput, "the text is not valid UTF-8: byte {} does not begin a character", *at);
  if (utf8.size() >= UINT32_MAX / 4)
    fail(ErrorCode::kBadInput, "the text has {} bytes; fewer than 2^30 are possible", utf8.size());
  check_spans(special_in, utf8.size());
  return Encoding(*this, utf8, special_in).run();
}

void Pipeline::check_id(TokenId id) const {
  if (id < 0 || id >= vocabulary_->size())
    fail(ErrorCode::kBadInput, "token id {}: the vocabulary has 0 to {}", id, vocabulary_->size() - 1);
}

std::string Pipeline::bytes(TokenId id, bool show_special) const {
  check_id(id);
  return is_hidden(id, show_special) ? std::string() : bytes_[static_cast<std::size_t>(id)];
}

std::string Pipeline::first_bytes(TokenId id, bool show_special) const {
  check_id(id);
  if (is_hidden(id, show_special)) return {};
  return first_token_bytes(vocabulary_->piece(id), bytes_[static_cast<std::size_t>(id)], decoder_);
}

std::unique_ptr<const Tokenizer> make_marked_bpe(std::shared_ptr<const Vocabulary> vocabulary, Rules rules,
                                                 std::unique_ptr<const BpeModel> model,
                                                 std::string_view mark) {
  constexpr std::size_t kMostExceptions = 64;
  if (const auto joined = model->joined_before(mark); joined && joined->size() <= kMostExceptions) {
    // A word: marks, then what is no mark; and marks, too, after a character that may be joined to one.
    std::string exceptions;
    for (const std::string& character : *joined) exceptions += literal_pattern(character);
    const std::string m = literal_pattern(mark);
    std::string rest = fmt::format("[^{}]", m);
    if (!joined->empty()) rest = fmt::format("(?:{}|(?<=[{}]){}++)", rest, exceptions, m);
    rules.cuts.emplace_back(split(fmt::format("{0}++{1}*+|{1}++", m, rest)));
  }
  return std::make_unique<Pipeline>(std::move(vocabulary), std::move(rules), std::move(model));
}

}  // namespace kelda::text
