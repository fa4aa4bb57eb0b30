// SentencePiece's BPE as GGUF carries it (Llama 2, Phi-3, Gemma): blanks become "▁", characters are merged by
// the scores of the pieces, and what no piece covers becomes bytes. A text, and whatever follows a special
// token, begins with one more blank where the file asks for it.
//   Source: Kudo and Richardson 2018 (arXiv 1808.06226).
#include "base/error.h"
#include "text/bpe_model.h"
#include "text/pipeline.h"

namespace kelda::text::sentencepiece_bpe {
namespace {

constexpr std::string_view kMark = "\u2581";

std::unique_ptr<const Tokenizer> make(std::shared_ptr<const Vocabulary> v) {
  if (v->scores().empty()) fail(ErrorCode::kBadInput, "missing key tokenizer.ggml.scores");
  const std::string mark(kMark);
  Rules rules{.added = added_tokens_of(*v),
              .decoder = {.kind = DecoderRules::Kind::kMetaspace,
                          .mark = mark,
                          .at_start = v->add_space_prefix() ? DecoderRules::Drop::kOneBlank
                                                            : DecoderRules::Drop::kNothing}};
  std::vector<NormalizerStep> steps;
  if (v->remove_extra_whitespaces()) steps.emplace_back(SqueezeBlanks{});
  if (v->add_space_prefix()) steps.emplace_back(Prepend{mark});
  steps.emplace_back(ReplaceText{" ", mark});
  rules.normalizer = Normalizer(std::move(steps));
  const BpeModel::Options options{.byte_fallback = true, .fuse_unknown = true, .unknown = v->unknown()};
  auto model = std::make_unique<BpeModel>(v, merges_of_scores(*v), options);
  return make_marked_bpe(std::move(v), std::move(rules), std::move(model), kMark);
}

}  // namespace

const TokenizerKind& kind() {
  static const TokenizerKind k{.name = "sentencepiece_bpe", .model = "llama", .make = make};
  return k;
}

}  // namespace kelda::text::sentencepiece_bpe
