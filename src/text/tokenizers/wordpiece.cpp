// WordPiece as BERT uses it: control characters dropped, Chinese characters and punctuation alone, accents
// off and lower case unless the file says otherwise. GGUF writes "▁" before pieces that begin a word, where
// the original writes "##" before those that do not.
#include "base/error.h"
#include "text/pipeline.h"
#include "text/wordpiece_model.h"

namespace kelda::text::wordpiece {
namespace {

constexpr int64_t kMaxCharacters = 100;  // as released: a longer word is unknown

std::unique_ptr<const Tokenizer> make(std::shared_ptr<const Vocabulary> v) {
  if (v->unknown() < 0) fail(ErrorCode::kBadInput, "missing key tokenizer.ggml.unknown_token_id");
  const std::string mark = "\u2581";
  Rules rules{.added = added_tokens_of(*v),
              .normalizer = Normalizer({BertRules{.clean_text = true,
                                                  .chinese_chars = true,
                                                  .strip_accents = v->strip_accents(),
                                                  .lowercase = v->lowercase()}}),
              .decoder = {.kind = DecoderRules::Kind::kMarkedWords, .mark = mark, .tidy = true}};
  rules.cuts.emplace_back(split(R"(\s)", Behavior::kRemoved));
  rules.cuts.emplace_back(split(R"(\p{BertPunctuation})"));
  auto model = std::make_unique<WordPieceModel>(
      *v, WordPieceModel::Options{
              .mark = mark, .mark_begins = true, .unknown = v->unknown(), .max_characters = kMaxCharacters});
  return std::make_unique<Pipeline>(std::move(v), std::move(rules), std::move(model));
}

}  // namespace

const TokenizerKind& kind() {
  static const TokenizerKind k{.name = "wordpiece", .model = "bert", .make = make};
  return k;
}

}  // namespace kelda::text::wordpiece
