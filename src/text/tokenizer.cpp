#include "text/tokenizer.h"

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/quote.h"
#include "text/detokenizer.h"

namespace kelda::text {

std::vector<TokenId> Tokenizer::encode_prompt(std::string_view utf8, Special special) const {
  std::vector<TokenId> ids;
  if (vocabulary_->add_bos()) ids.push_back(vocabulary_->bos());
  const std::vector<TokenId> text = encode(utf8, special);
  ids.insert(ids.end(), text.begin(), text.end());
  if (vocabulary_->add_eos()) ids.push_back(vocabulary_->eos());
  return ids;
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool show_special) const {
  std::string text;
  Utf8Stream stream;
  for (const TokenId id : ids) text += stream.push(bytes(id, show_special));
  return text + stream.finish();
}

std::unique_ptr<const Tokenizer> make_tokenizer(std::shared_ptr<const Vocabulary> vocabulary) {
  std::vector<std::string_view> known;
  for (const TokenizerKind* kind : tokenizer_kinds()) {
    if (kind->model == vocabulary->model()) return kind->make(std::move(vocabulary));
    known.push_back(kind->model);
  }
  fail(ErrorCode::kUnsupported, "tokenizer.ggml.model: no tokenizer {}; known: {}",
       quote(vocabulary->model()), fmt::join(known, ", "));
}

}  // namespace kelda::text
