// SentencePiece's BPE as GGUF carries it (Llama 2, Phi-3, Gemma): blanks become "▁", characters are merged by
// the scores of the pieces, and what no piece covers becomes bytes. A text, and whatever follows a special
// token, begins with one more blank where the file asks for it.
//   Source: Kudo and Richardson 2018 (arXiv 1808.06226).
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/error.h"
#include "text/bpe_model.h"
#include "text/pipeline.h"

namespace kelda::text::sentencepiece_bpe {
namespace {

constexpr std::string_view kMark = "\u2581";

std::string marks(std::size_t n) {
  std::string text;
  while (n-- > 0) text += kMark;
  return text;
}

// The tokens for runs of two marks and more that a publisher added by hand (Gemma), which converters write
// with blanks; by the length of the run.
std::map<std::size_t, TokenId> added_runs(const Vocabulary& v) {
  std::map<std::size_t, TokenId> runs;
  for (TokenId id = 0; id < v.size(); ++id) {
    const std::string& piece = v.piece(id);
    const bool is_run = piece.size() >= 2 && piece.size() * kMark.size() <= kMaxAddedTokenBytes &&
                        piece.find_first_not_of(' ') == std::string::npos;
    if (is_run && v.type(id) == TokenType::kUserDefined) runs.emplace(piece.size(), id);
  }
  return runs;
}

// Written as marks they are cut out of a text as they stand, like any added token.
std::vector<AddedToken> added_with_marks(const Vocabulary& v, const std::map<std::size_t, TokenId>& runs) {
  std::vector<AddedToken> added = added_tokens_of(v);
  for (const auto& [length, id] : runs) std::ranges::find(added, id, &AddedToken::id)->text = marks(length);
  return added;
}

// And blanks, once they are marks, are merged into them before anything else is merged, the longest first.
std::vector<Vocabulary::Merge> merges_with(const Vocabulary& v, const std::map<std::size_t, TokenId>& runs) {
  std::vector<Vocabulary::Merge> merges;
  std::map<std::size_t, TokenId> parts = runs;
  if (const TokenId mark = v.find(kMark); mark >= 0) parts[1] = mark;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    for (std::size_t left = run->first; left-- > 1;) {
      const auto a = parts.find(left), b = parts.find(run->first - left);
      if (a != parts.end() && b != parts.end()) merges.push_back({a->second, b->second, run->second});
    }
  }
  std::set<TokenId> made;
  for (const auto& [length, id] : runs) made.insert(id);
  std::ranges::copy_if(merges_of_scores(v), std::back_inserter(merges),
                       [&](const Vocabulary::Merge& m) { return made.count(m.result) == 0; });
  return merges;
}

std::unique_ptr<const Tokenizer> make(std::shared_ptr<const Vocabulary> v) {
  if (v->scores().empty()) fail(ErrorCode::kBadInput, "missing key tokenizer.ggml.scores");
  const std::string mark(kMark);
  const auto runs = added_runs(*v);
  Rules rules{.added = added_with_marks(*v, runs),
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
  auto model = std::make_unique<BpeModel>(v, merges_with(*v, runs), options);
  return make_marked_bpe(std::move(v), std::move(rules), std::move(model), kMark);
}

}  // namespace

const TokenizerKind& kind() {
  static const TokenizerKind k{.name = "sentencepiece_bpe", .model = "llama", .make = make};
  return k;
}

}  // namespace kelda::text::sentencepiece_bpe
