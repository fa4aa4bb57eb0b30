#include "text/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/quote.h"
#include "text/pipeline.h"
#include "text/tokenizer_json_model.h"
#include "text/tokenizer_json_rules.h"

namespace kelda::text {
namespace {

// GGUF's names for the kinds, by which other layers tell them apart.
std::string model_name(const JsonModel& model, bool bytes) {
  return model.is_wordpiece ? "bert" : bytes ? "gpt2" : "llama";
}

TokenId id_of(const VocabularyParts& parts, const std::string& piece, std::string_view where) {
  if (piece.empty()) return -1;
  const auto at = std::find(parts.pieces.begin(), parts.pieces.end(), piece);
  if (at == parts.pieces.end()) fail(ErrorCode::kBadInput, "{}: no token is {}", where, quote(piece));
  return static_cast<TokenId>(at - parts.pieces.begin());
}

Rules read_rules(JsonObject& root) {
  Rules rules;
  if (const auto normalizer = root.take("normalizer"))
    rules.normalizer = Normalizer(read_normalizer(*normalizer));
  if (const auto cuts = root.take("pre_tokenizer")) rules.cuts = read_pre_tokenizer(*cuts);
  if (const auto decoder = root.take("decoder"))
    rules.decoder = read_decoder(*decoder);
  else
    rules.decoder.kind = DecoderRules::Kind::kWords;  // tokens with blanks between
  return rules;
}

void set_special(const Envelope& envelope, const TokenizerHints& hints, VocabularyParts& parts) {
  parts.bos = id_of(parts, envelope.before, "post_processor");
  parts.eos = id_of(parts, envelope.after, "post_processor");
  parts.add_bos = parts.bos >= 0;
  parts.add_eos = parts.eos >= 0;
  if (!parts.add_bos) parts.bos = id_of(parts, hints.bos, "bos_token of tokenizer_config.json");
  if (!parts.add_eos) parts.eos = id_of(parts, hints.eos, "eos_token of tokenizer_config.json");
  parts.end_tokens = hints.end_tokens;
}

// An embedding may have more rows than there are pieces. And a token that was added for another model of the
// kind may have none: Gemma 3's mark for an image in models of text alone. Nothing can be made of it but its
// letters.
void fit_to_model(int32_t n_tokens, VocabularyParts& parts, std::vector<AddedToken>& added) {
  if (n_tokens == 0) return;
  const auto n = static_cast<std::size_t>(n_tokens), n_before = parts.pieces.size();
  while (parts.pieces.size() > n) {
    const auto last = static_cast<TokenId>(parts.pieces.size() - 1);
    if (std::erase_if(added, [&](const AddedToken& t) { return t.id == last; }) == 0)
      fail(ErrorCode::kBadInput, "it has {} tokens, the model {}", n_before, n);
    parts.pieces.pop_back();
  }
  while (parts.pieces.size() < n) parts.pieces.push_back(fmt::format("[PAD{}]", parts.pieces.size()));
  parts.types.resize(n, TokenType::kUnused);
}

// Text must not be able to make a control token: merges that would make one are no merges.
std::vector<Vocabulary::Merge> text_merges(const Vocabulary& v) {
  std::vector<Vocabulary::Merge> merges = v.merges();
  std::erase_if(merges, [&](const Vocabulary::Merge& m) { return is_special(v.type(m.result)); });
  return merges;
}

}  // namespace

std::unique_ptr<const Tokenizer> read_tokenizer_json(std::string_view json, const TokenizerHints& hints) {
  const JsonDocument document(json);
  JsonObject root = document.root().object();
  if (const auto version = root.take("version"); version && version->text() != "1.0")
    fail(ErrorCode::kUnsupported, "version: {}; \"1.0\" is implemented", quote(version->text()));
  for (const char* batch : {"truncation", "padding"})
    if (const auto settings = root.take(batch)) settings->raw_object();

  const auto added = root.take("added_tokens");
  JsonModel model = read_model(root.need("model"), added ? &*added : nullptr);
  Rules rules = read_rules(root);
  rules.added = std::move(model.added);
  const auto processor = root.take("post_processor");
  const Envelope envelope = processor ? read_post_processor(*processor) : Envelope{};
  root.done();

  // Bytes as characters at the very end: BPE takes them as they are.
  if (!model.is_wordpiece && !rules.cuts.empty() && std::holds_alternative<MapBytes>(rules.cuts.back())) {
    rules.cuts.pop_back();
    model.bpe.bytes = true;
  }
  VocabularyParts& parts = model.parts;
  parts.model = model_name(model, rules.decoder.kind == DecoderRules::Kind::kByteLevel);
  fit_to_model(hints.n_tokens, parts, rules.added);
  set_special(envelope, hints, parts);
  for (const TokenId id : parts.end_tokens) {
    if (id < 0 || static_cast<std::size_t>(id) >= parts.pieces.size())
      fail(ErrorCode::kBadInput, "eos_token_id is {}, but there are {} tokens", id, parts.pieces.size());
  }
  auto vocabulary = std::make_shared<const Vocabulary>(std::move(parts));
  if (model.is_wordpiece) {
    auto words = std::make_unique<const WordPieceModel>(*vocabulary, model.wordpiece);
    return std::make_unique<Pipeline>(std::move(vocabulary), std::move(rules), std::move(words));
  }
  auto bpe = std::make_unique<const BpeModel>(vocabulary, text_merges(*vocabulary), model.bpe);
  const std::string mark =
      rules.decoder.kind == DecoderRules::Kind::kMetaspace ? rules.decoder.mark : "\u2581";
  return make_marked_bpe(std::move(vocabulary), std::move(rules), std::move(bpe), mark);
}

}  // namespace kelda::text
