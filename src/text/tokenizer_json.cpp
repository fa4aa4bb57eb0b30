#include "text/tokenizer_json.h"

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

TokenId id_of(const VocabularyParts& parts, const std::string& piece) {
  if (piece.empty()) return -1;
  const auto at = std::find(parts.pieces.begin(), parts.pieces.end(), piece);
  if (at == parts.pieces.end()) fail(ErrorCode::kBadInput, "post_processor: no token is {}", quote(piece));
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

// Text must not be able to make a control token: merges that would make one are no merges.
std::vector<Vocabulary::Merge> text_merges(const Vocabulary& v) {
  std::vector<Vocabulary::Merge> merges = v.merges();
  std::erase_if(merges, [&](const Vocabulary::Merge& m) { return is_special(v.type(m.result)); });
  return merges;
}

}  // namespace

std::unique_ptr<const Tokenizer> read_tokenizer_json(std::string_view json) {
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
  parts.bos = id_of(parts, envelope.before);
  parts.eos = id_of(parts, envelope.after);
  parts.add_bos = parts.bos >= 0;
  parts.add_eos = parts.eos >= 0;
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
