#include "learned/vocabulary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/quote.h"

namespace kelda {
namespace {

constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
constexpr std::string_view kTypes = "tokenizer.ggml.token_type";
constexpr std::string_view kScores = "tokenizer.ggml.scores";
constexpr std::string_view kMerges = "tokenizer.ggml.merges";

// Control tokens that end a turn, a text or (the last three) a file within a repository, by their publishers'
// names.
constexpr std::string_view kEndMarkers[] = {
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<|eot|>",
    "<|eom|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<end_of_turn>",
    "<turn|>",
    "</s>",
    "<EOT>",
    "<|end_of_turn|>",
    "<|END_OF_TURN_TOKEN|>",
    "<end_of_utterance>",
    "<|eos|>",
    "<｜end▁of▁sentence｜>",
    "[EOT]",
    "<|fim_pad|>",
    "<|repo_name|>",
    "<|file_sep|>",
};

// What holds where the file does not say, by kind of tokenizer.
struct Defaults {
  std::string_view model, pre_tokenizer;  // empty: any
  bool add_bos, add_eos, add_space_prefix;
};
constexpr Defaults kDefaults[] = {
    {"llama", "", true, false, true},          {"bert", "", true, true, false},
    {"gpt2", "llama-bpe", true, false, false}, {"gpt2", "llama3", true, false, false},
    {"gpt2", "llama-v3", true, false, false},
};

Defaults defaults_for(std::string_view model, std::string_view pre_tokenizer) {
  for (const Defaults& d : kDefaults)
    if (d.model == model && (d.pre_tokenizer.empty() || d.pre_tokenizer == pre_tokenizer)) return d;
  return {"", "", false, false, false};
}

void check_count(std::string_view key, std::size_t count, std::size_t n_tokens) {
  if (count != n_tokens)
    fail(ErrorCode::kBadInput, "{}: {} entries for the {} of {}", key, count, n_tokens, kTokens);
}

}  // namespace

Vocabulary::Vocabulary(const Metadata& metadata)
    : model_(metadata.text("tokenizer.ggml.model")), pre_tokenizer_(metadata.text("tokenizer.ggml.pre", "")) {
  read_pieces(metadata);
  read_merges(metadata);
  read_special(metadata);
}

void Vocabulary::read_pieces(const Metadata& metadata) {
  const auto* pieces = metadata.strings(kTokens);
  if (pieces == nullptr) fail(ErrorCode::kBadInput, "missing key {}", kTokens);
  if (pieces->empty() || pieces->size() > std::size_t{std::numeric_limits<TokenId>::max()})
    fail(ErrorCode::kBadInput, "{}: {} tokens; between 1 and 2^31 - 1 are possible", kTokens, pieces->size());
  pieces_ = *pieces;
  ids_.reserve(pieces_.size());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const auto [at, added] = ids_.emplace(pieces_[i], static_cast<TokenId>(i));
    if (!added)
      fail(ErrorCode::kBadInput, "{}: tokens {} and {} are both {}", kTokens, at->second, i,
           quote(pieces_[i]));
  }

  types_.assign(pieces_.size(), TokenType::kNormal);
  if (const auto* types = metadata.int32s(kTypes)) {
    check_count(kTypes, types->size(), pieces_.size());
    for (std::size_t i = 0; i < types->size(); ++i) {
      const int32_t type = (*types)[i];
      if (type < 1 || type > 6)
        fail(ErrorCode::kBadInput, "{}: token {} has type {}; 1 to 6 exist", kTypes, i, type);
      types_[i] = static_cast<TokenType>(type);
    }
  }
  if (const auto* scores = metadata.floats(kScores)) {
    check_count(kScores, scores->size(), pieces_.size());
    for (std::size_t i = 0; i < scores->size(); ++i)
      if (!std::isfinite((*scores)[i]))
        fail(ErrorCode::kBadInput, "{}: token {} has the score {}, which is not a number", kScores, i,
             (*scores)[i]);
    scores_ = *scores;
  }
}

void Vocabulary::read_merges(const Metadata& metadata) {
  const auto* merges = metadata.strings(kMerges);
  if (merges == nullptr) return;
  if (merges->size() >= std::numeric_limits<uint32_t>::max())
    fail(ErrorCode::kBadInput, "{}: {} merges; fewer than 2^32 - 1 are possible", kMerges, merges->size());
  merges_.reserve(merges->size());
  std::vector<std::array<std::size_t, 2>> pairs;  // (both ids in one number, entry)
  pairs.reserve(merges->size());
  std::string joined;
  for (std::size_t i = 0; i < merges->size(); ++i) {
    const std::string_view merge = (*merges)[i];
    const std::size_t blank = merge.find(' ');
    if (blank == std::string::npos || blank != merge.rfind(' ') || blank == 0 || blank + 1 == merge.size())
      fail(ErrorCode::kBadInput, "{}: entry {} {} is not two pieces with one blank between", kMerges, i,
           quote(merge));
    const auto known = [&](std::string_view piece) {
      const TokenId id = find(piece);
      if (id < 0)
        fail(ErrorCode::kBadInput, "{}: entry {} {} needs a token {}, which {} lacks", kMerges, i,
             quote(merge), quote(piece), kTokens);
      return id;
    };
    const std::string_view left = merge.substr(0, blank), right = merge.substr(blank + 1);
    joined.assign(left).append(right);
    merges_.push_back({known(left), known(right), known(joined)});
    pairs.push_back(
        {static_cast<std::size_t>(merges_[i].left) << 32 | static_cast<std::size_t>(merges_[i].right), i});
  }
  std::sort(pairs.begin(), pairs.end());
  const auto twice = std::adjacent_find(pairs.begin(), pairs.end(),
                                        [](const auto& a, const auto& b) { return a[0] == b[0]; });
  if (twice != pairs.end())
    fail(ErrorCode::kBadInput, "{}: entries {} and {} are both {}", kMerges, (*twice)[1], (*(twice + 1))[1],
         quote((*merges)[(*twice)[1]]));
}

TokenId Vocabulary::read_id(const Metadata& metadata, std::string_view key) const {
  return static_cast<TokenId>(metadata.has(key) ? metadata.integer(key, 0, size() - 1) : -1);
}

void Vocabulary::read_special(const Metadata& metadata) {
  bos_ = read_id(metadata, "tokenizer.ggml.bos_token_id");
  eos_ = read_id(metadata, "tokenizer.ggml.eos_token_id");
  if (model_ == "bert") {
    if (bos_ < 0) bos_ = read_id(metadata, "tokenizer.ggml.cls_token_id");
    if (eos_ < 0) eos_ = read_id(metadata, "tokenizer.ggml.seperator_token_id");  // GGUF spells it so
  }
  const Defaults defaults = defaults_for(model_, pre_tokenizer_);
  add_bos_ = metadata.boolean("tokenizer.ggml.add_bos_token", defaults.add_bos && bos_ >= 0);
  add_eos_ = metadata.boolean("tokenizer.ggml.add_eos_token", defaults.add_eos && eos_ >= 0);
  add_space_prefix_ = metadata.boolean("tokenizer.ggml.add_space_prefix", defaults.add_space_prefix);
  if (add_bos_ && bos_ < 0)
    fail(ErrorCode::kBadInput,
         "tokenizer.ggml.add_bos_token is true, but there is no tokenizer.ggml.bos_token_id");
  if (add_eos_ && eos_ < 0)
    fail(ErrorCode::kBadInput,
         "tokenizer.ggml.add_eos_token is true, but there is no tokenizer.ggml.eos_token_id");

  for (const TokenId id : {eos_, read_id(metadata, "tokenizer.ggml.eot_token_id"),
                           read_id(metadata, "tokenizer.ggml.eom_token_id")})
    if (id >= 0) end_tokens_.push_back(id);
  for (const std::string_view marker : kEndMarkers)
    if (const TokenId id = find(marker); id >= 0 && type(id) == TokenType::kControl)
      end_tokens_.push_back(id);
  std::sort(end_tokens_.begin(), end_tokens_.end());
  end_tokens_.erase(std::unique(end_tokens_.begin(), end_tokens_.end()), end_tokens_.end());
}

TokenId Vocabulary::find(std::string_view piece) const {
  const auto at = ids_.find(piece);
  return at == ids_.end() ? -1 : at->second;
}

uint64_t Vocabulary::bytes() const {
  const auto text = [](const std::string& s) {
    return sizeof s + (s.capacity() > 15 ? s.capacity() + 1 : 0);
  };
  uint64_t sum =
      types_.size() * sizeof(TokenType) + scores_.size() * sizeof(float) + merges_.size() * sizeof(Merge);
  for (const std::string& piece : pieces_) sum += text(piece);
  constexpr uint64_t kIndexNode =
      sizeof(void*) + sizeof(std::size_t) + sizeof(std::pair<std::string_view, TokenId>);
  return sum + ids_.size() * kIndexNode + ids_.bucket_count() * sizeof(void*);
}

}  // namespace kelda
