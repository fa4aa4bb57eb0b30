#include "text/tokenizer_json_model.h"

#include <algorithm>

#include "base/error.h"
#include "base/quote.h"
#include "text/byte_alphabet.h"

namespace kelda::text {
namespace {

constexpr int64_t kMaxId = INT32_MAX - 1;

// Pieces by id, while they arrive in any order.
class Pieces {
 public:
  explicit Pieces(std::size_t at_most) : pieces_(at_most), there_(at_most) {}

  // False if the id has another piece already.
  bool set(int64_t id, std::string_view piece, std::string_view path) {
    if (static_cast<std::size_t>(id) >= pieces_.size())
      fail(ErrorCode::kBadInput, "{}: {} has the id {}, but there are {} tokens: ids must have no gaps", path,
           quote(piece), id, pieces_.size());
    const auto at = static_cast<std::size_t>(id);
    if (there_[at]) return pieces_[at] == piece;
    there_[at] = true;
    pieces_[at] = piece;
    return true;
  }
  const std::string& operator[](int64_t id) const { return pieces_[static_cast<std::size_t>(id)]; }

  // All of them. Throws for a gap.
  std::vector<std::string> take(std::string_view path) && {
    const auto last = std::find(there_.rbegin(), there_.rend(), true);
    const auto n = there_.rend() - last;
    const auto gap = std::find(there_.begin(), there_.begin() + n, false);
    if (gap != there_.begin() + n)
      fail(ErrorCode::kBadInput, "{}: no token has the id {}, though ids go up to {}: they must have no gaps",
           path, gap - there_.begin(), n - 1);
    pieces_.resize(static_cast<std::size_t>(n));
    return std::move(pieces_);
  }

 private:
  std::vector<std::string> pieces_;
  std::vector<bool> there_;
};

int64_t count(simdjson::dom::object object) {
  int64_t n = 0;
  for ([[maybe_unused]] const auto& field : object) ++n;
  return n;
}

void read_vocabulary(const JsonView& vocab, Pieces& pieces) {
  for (const simdjson::dom::key_value_pair field : vocab.raw_object()) {
    int64_t id = 0;
    if (field.value.get(id) != simdjson::SUCCESS || id < 0 || id > kMaxId)
      fail(ErrorCode::kBadInput, "{}: the id of {} is not a whole number from 0 to {}", vocab.path(),
           quote(field.key), kMaxId);
    if (!pieces.set(id, field.key, vocab.path()))
      fail(ErrorCode::kBadInput, "{}: {} and {} both have the id {}", vocab.path(), quote(pieces[id]),
           quote(field.key), id);
  }
}

std::vector<AddedToken> read_added_tokens(const JsonView& list, Pieces& pieces) {
  std::vector<AddedToken> tokens;
  const simdjson::dom::array all = list.raw_list();
  tokens.reserve(all.size());
  for (const simdjson::dom::element e : all) {
    const JsonView view(e, fmt::format("{}[{}]", list.path(), tokens.size()));
    JsonObject object = view.object();
    AddedToken t{};
    const int64_t id = object.need("id").integer(0, kMaxId);
    const std::string_view text = object.need("content").text();
    if (text.empty() || text.size() > kMaxAddedTokenBytes)
      fail(ErrorCode::kBadInput, "{}.content has {} bytes; 1 to {} are possible", view.path(), text.size(),
           kMaxAddedTokenBytes);
    if (!pieces.set(id, text, view.path()))
      fail(ErrorCode::kBadInput, "{}: {} has the id {}, which is that of {}", view.path(), quote(text), id,
           quote(pieces[id]));
    t.id = static_cast<TokenId>(id);
    t.text = text;
    t.special = object.boolean("special", false);
    t.lstrip = object.boolean("lstrip", false);
    t.rstrip = object.boolean("rstrip", false);
    t.single_word = object.boolean("single_word", false);
    t.normalized = object.boolean("normalized", !t.special);
    object.done();
    tokens.push_back(std::move(t));
  }
  return tokens;
}

void read_merges(const JsonView& merges, VocabularyParts& parts) {
  const simdjson::dom::array all = merges.raw_list();
  std::size_t i = 0;
  const auto refuse = [&](std::string_view why) {
    fail(ErrorCode::kBadInput, "{}[{}] {}", merges.path(), i, why);
  };
  for (const simdjson::dom::element e : all) {
    std::string_view left, right;
    if (std::string_view both; e.get(both) == simdjson::SUCCESS) {
      const std::size_t blank = both.find(' ');
      if (blank == std::string_view::npos || blank != both.rfind(' '))
        refuse("is not two pieces with one blank between");
      left = both.substr(0, blank);
      right = both.substr(blank + 1);
    } else {
      simdjson::dom::array pair;
      if (e.get(pair) != simdjson::SUCCESS || pair.size() != 2 || pair.at(0).get(left) != simdjson::SUCCESS ||
          pair.at(1).get(right) != simdjson::SUCCESS)
        refuse("is neither a string nor a pair of strings");
    }
    if (left.empty() || right.empty()) refuse("has an empty piece");
    parts.merges.push_back({left, right});
    ++i;
  }
}

// The id of the unknown token, by its piece; −1 where the field is absent or null.
TokenId read_unknown(JsonObject& model, const std::vector<std::string>& pieces) {
  const auto token = model.take("unk_token");
  if (!token) return -1;
  const auto at = std::find(pieces.begin(), pieces.end(), token->text());
  if (at == pieces.end())
    fail(ErrorCode::kBadInput, "{}: no token is {}", token->path(), quote(token->text()));
  return static_cast<TokenId>(at - pieces.begin());
}

// Affixes of pieces, as GPT-1 and CLIP have them: no family here does.
void must_be_empty(JsonObject& object, std::string_view key) {
  const auto value = object.take(key);
  if (value && !value->text().empty())
    fail(ErrorCode::kUnsupported, "{}: {} is refused: no family of this build has pieces with affixes",
         value->path(), quote(value->text()));
}

void read_bpe(JsonObject& model, JsonModel& out) {
  // A setting of training: ids would change from call to call.
  if (const auto dropout = model.take("dropout"))
    fail(ErrorCode::kUnsupported,
         "{}: merges left out at random are refused: ids would change from call to call", dropout->path());
  must_be_empty(model, "continuing_subword_prefix");
  must_be_empty(model, "end_of_word_suffix");
  out.bpe.fuse_unknown = model.boolean("fuse_unk", false);
  out.bpe.byte_fallback = model.boolean("byte_fallback", false);
  out.bpe.ignore_merges = model.boolean("ignore_merges", false);
  out.bpe.unknown = read_unknown(model, out.parts.pieces);
  out.parts.unknown = out.bpe.unknown;
  read_merges(model.need("merges"), out.parts);
}

void read_wordpiece(JsonObject& model, JsonModel& out) {
  out.is_wordpiece = true;
  out.parts.unknown = read_unknown(model, out.parts.pieces);
  if (out.parts.unknown < 0) fail(ErrorCode::kBadInput, "{} has no \"unk_token\"", model.path());
  const auto prefix = model.take("continuing_subword_prefix");
  const auto max = model.take("max_input_chars_per_word");
  out.wordpiece = {.mark = std::string(prefix ? prefix->text() : "##"),
                   .mark_begins = false,
                   .unknown = out.parts.unknown,
                   .max_characters = max ? max->integer(0, INT32_MAX) : 100};
  // Without a mark, the first piece of a word and the others would be the same.
  if (out.wordpiece.mark.empty())
    fail(ErrorCode::kUnsupported,
         "{}.continuing_subword_prefix: none is refused: a word's first piece and its others would be the "
         "same",
         model.path());
}

void set_types(JsonModel& out) {
  std::vector<TokenType>& types = out.parts.types;
  types.assign(out.parts.pieces.size(), TokenType::kNormal);
  if (out.bpe.byte_fallback)
    for (std::size_t i = 0; i < types.size(); ++i)
      if (byte_of_piece(out.parts.pieces[i])) types[i] = TokenType::kByte;
  for (const AddedToken& t : out.added)
    types[static_cast<std::size_t>(t.id)] = t.special ? TokenType::kControl : TokenType::kUserDefined;
}

}  // namespace

JsonModel read_model(const JsonView& value, const JsonView* added_tokens) {
  JsonModel out;
  JsonObject model = value.object();
  const std::string_view type = model.need("type").text();
  // Unigram and WordLevel are of families that this build has not.
  if (type != "BPE" && type != "WordPiece")
    fail(ErrorCode::kUnsupported,
         "{}.type: {} is none of BPE and WordPiece, which are those of this build's families", value.path(),
         quote(type));
  const JsonView vocab = model.need("vocab");
  int64_t most = count(vocab.raw_object());
  if (added_tokens != nullptr)
    for ([[maybe_unused]] const auto& token : added_tokens->raw_list()) ++most;
  Pieces pieces(static_cast<std::size_t>(most));
  read_vocabulary(vocab, pieces);
  if (added_tokens != nullptr) out.added = read_added_tokens(*added_tokens, pieces);
  out.parts.pieces = std::move(pieces).take(vocab.path());
  out.parts.pieces_name = "model.vocab";
  out.parts.merges_name = "model.merges";
  if (type == "BPE")
    read_bpe(model, out);
  else
    read_wordpiece(model, out);
  model.done();
  set_types(out);
  return out;
}

}  // namespace kelda::text
