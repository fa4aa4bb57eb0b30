// Byte-level BPE, as GPT-2 began it: special tokens are cut out, the rest is cut into pieces by regular
// expressions, and within a piece the bytes are merged. Equal to Hugging Face's tokenizers, ids and quirks: a
// byte that the vocabulary has no token for (SmolLM2 lacks eight that valid text can contain, such as U+0004)
// is left out, and its neighbours meet.
#include "base/error.h"
#include "base/quote.h"
#include "text/bpe_model.h"
#include "text/byte_alphabet.h"
#include "text/pipeline.h"
#include "text/pre_tokenizers.h"

namespace kelda::text::byte_bpe {
namespace {

// Text must not be able to make a control token. Merges could do so if one of them made it, if it was a
// character of the byte alphabet, or, where whole pieces are looked up, if it was spelled as bytes are.
void check_no_text_is_special(const Vocabulary& v) {
  for (std::size_t i = 0; i < v.merges().size(); ++i)
    if (const TokenId id = v.merges()[i].result; is_special(v.type(id)))
      fail(ErrorCode::kBadInput,
           "tokenizer.ggml.merges: entry {} makes token {} {}, which is of type control", i, id,
           quote(v.piece(id)));
  for (const std::string& character : byte_characters())
    if (const TokenId id = v.find(character); id >= 0 && is_special(v.type(id)))
      fail(ErrorCode::kBadInput,
           "tokenizer.ggml.token_type: token {} {} is a byte of text, but of type control", id,
           quote(character));
}

std::unique_ptr<const Tokenizer> make(std::shared_ptr<const Vocabulary> v) {
  const PreTokenizerRow& row = pre_tokenizer_row(v->pre_tokenizer());
  if (v->merges().empty()) fail(ErrorCode::kBadInput, "missing key tokenizer.ggml.merges");
  if (v->add_space_prefix())
    fail(ErrorCode::kUnsupported,
         "tokenizer.ggml.add_space_prefix: true is not supported with the model \"gpt2\"");
  check_no_text_is_special(*v);
  Rules rules{.added = added_tokens_of(*v), .decoder = {.kind = DecoderRules::Kind::kByteLevel}};
  if (row.nfc) rules.normalizer = Normalizer({NormalForm::kNfc});
  for (std::size_t i = 0; i < row.expressions.size(); ++i) {
    if (row.mapped_before_last && i + 2 == row.expressions.size()) rules.cuts.emplace_back(MapBytes{});
    rules.cuts.emplace_back(split(row.expressions[i]));
  }
  BpeModel::Options options{.bytes = !row.mapped_before_last, .ignore_merges = row.ignore_merges};
  auto model = std::make_unique<BpeModel>(v, v->merges(), options);
  return std::make_unique<Pipeline>(std::move(v), std::move(rules), std::move(model));
}

}  // namespace

const TokenizerKind& kind() {
  static const TokenizerKind k{.name = "byte_bpe", .model = "gpt2", .make = make};
  return k;
}

}  // namespace kelda::text::byte_bpe
