#include "learned/vocabulary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/error.h"
#include "base/quote.h"

namespace kelda {
namespace {

constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
constexpr std::string_view kTypes = "tokenizer.ggml.token_type";
constexpr std::string_view kScores = "tokenizer.ggml.scores";
constexpr std::string_view kMerges = "tokenizer.ggml.merges";

// Tokens that end a turn, a text or (the last three) a file within a repository, by their publishers' names.
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

void check_size(std::string_view name, std::size_t n_tokens) {
  if (n_tokens == 0 || n_tokens > std::size_t{std::numeric_limits<TokenId>::max()})
    fail(ErrorCode::kBadInput, "{}: {} tokens; between 1 and 2^31 - 1 are possible", name, n_tokens);
}

TokenId read_id(const Metadata& metadata, std::string_view key, std::size_t n_tokens) {
  if (!metadata.has(key)) return -1;
  return static_cast<TokenId>(metadata.integer(key, 0, static_cast<int64_t>(n_tokens) - 1));
}

void read_lists(const Metadata& metadata, VocabularyParts& parts) {
  const auto* pieces = metadata.strings(kTokens);
  if (pieces == nullptr) fail(ErrorCode::kBadInput, "missing key {}", kTokens);
  check_size(kTokens, pieces->size());
  if (pieces->empty()) fail(ErrorCode::kBadInput, "{}: 0 tokens; at least one is needed", kTokens);
  parts.pieces = *pieces;
  if (const auto* types = metadata.int32s(kTypes)) {
    parts.types.reserve(types->size());
    for (std::size_t i = 0; i < types->size(); ++i) {
      const int32_t type = (*types)[i];
      if (type < 1 || type > 6)
        fail(ErrorCode::kBadInput, "{}: token {} has type {}; 1 to 6 exist", kTypes, i, type);
      parts.types.push_back(static_cast<TokenType>(type));
    }
    if (types->empty())
      fail(ErrorCode::kBadInput, "{}: 0 entries for the {} of {}", kTypes, pieces->size(), kTokens);
  }
  if (const auto* scores = metadata.floats(kScores)) {
    if (scores->empty())
      fail(ErrorCode::kBadInput, "{}: 0 entries for the {} of {}", kScores, pieces->size(), kTokens);
    parts.scores = *scores;
  }
  if (const auto* merges = metadata.strings(kMerges)) {
    parts.merges.reserve(merges->size());
    for (std::size_t i = 0; i < merges->size(); ++i) {
      const std::string_view merge = (*merges)[i];
      const std::size_t blank = merge.find(' ');
      if (blank == std::string::npos || blank != merge.rfind(' ') || blank == 0 || blank + 1 == merge.size())
        fail(ErrorCode::kBadInput, "{}: entry {} {} is not two pieces with one blank between", kMerges, i,
             quote(merge));
      parts.merges.push_back({merge.substr(0, blank), merge.substr(blank + 1)});
    }
  }
}

VocabularyParts parts_of(const Metadata& metadata) {
  VocabularyParts parts{
      .pieces_name = kTokens, .types_name = kTypes, .scores_name = kScores, .merges_name = kMerges};
  parts.model = metadata.text("tokenizer.ggml.model");
  parts.pre_tokenizer = metadata.text("tokenizer.ggml.pre", "");
  read_lists(metadata, parts);
  const std::size_t n = parts.pieces.size();
  parts.bos = read_id(metadata, "tokenizer.ggml.bos_token_id", n);
  parts.eos = read_id(metadata, "tokenizer.ggml.eos_token_id", n);
  parts.unknown = read_id(metadata, "tokenizer.ggml.unknown_token_id", n);
  if (parts.model == "bert") {
    if (parts.bos < 0) parts.bos = read_id(metadata, "tokenizer.ggml.cls_token_id", n);
    if (parts.eos < 0)
      parts.eos = read_id(metadata, "tokenizer.ggml.seperator_token_id", n);  // GGUF spells it so
  }
  const Defaults defaults = defaults_for(parts.model, parts.pre_tokenizer);
  const auto flag = [&](const char* key, bool otherwise) { return metadata.boolean(key, otherwise); };
  parts.add_bos = flag("tokenizer.ggml.add_bos_token", defaults.add_bos && parts.bos >= 0);
  parts.add_eos = flag("tokenizer.ggml.add_eos_token", defaults.add_eos && parts.eos >= 0);
  parts.add_space_prefix = flag("tokenizer.ggml.add_space_prefix", defaults.add_space_prefix);
  parts.remove_extra_whitespaces = flag("tokenizer.ggml.remove_extra_whitespaces", false);
  parts.lowercase = flag("tokenizer.ggml.normalizer.lowercase", true);
  parts.strip_accents = flag("tokenizer.ggml.normalizer.strip_accents", parts.lowercase);
  if (parts.add_bos && parts.bos < 0)
    fail(ErrorCode::kBadInput,
         "tokenizer.ggml.add_bos_token is true, but there is no tokenizer.ggml.bos_token_id");
  if (parts.add_eos && parts.eos < 0)
    fail(ErrorCode::kBadInput,
         "tokenizer.ggml.add_eos_token is true, but there is no tokenizer.ggml.eos_token_id");
  for (const char* key : {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"})
    if (const TokenId id = read_id(metadata, key, n); id >= 0) parts.end_tokens.push_back(id);
  return parts;
}

}  // namespace

Vocabulary::Vocabulary(const Metadata& metadata) : Vocabulary(parts_of(metadata)) {}

Vocabulary::Vocabulary(VocabularyParts parts)
    : model_(std::move(parts.model)), pre_tokenizer_(std::move(parts.pre_tokenizer)) {
  set_pieces(parts);
  set_merges(parts);
  set_special(parts);
}

void Vocabulary::set_pieces(VocabularyParts& parts) {
  pieces_ = std::move(parts.pieces);
  check_size(parts.pieces_name, pieces_.size());
  ids_.reserve(pieces_.size());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const auto [at, added] = ids_.emplace(pieces_[i], static_cast<TokenId>(i));
    if (!added)
      fail(ErrorCode::kBadInput, "{}: tokens {} and {} are both {}", parts.pieces_name, at->second, i,
           quote(pieces_[i]));
  }
  const auto check_count = [&](std::string_view name, std::size_t count) {
    if (count != 0 && count != pieces_.size())
      fail(ErrorCode::kBadInput, "{}: {} entries for the {} of {}", name, count, pieces_.size(),
           parts.pieces_name);
  };
  check_count(parts.types_name, parts.types.size());
  check_count(parts.scores_name, parts.scores.size());
  types_ = std::move(parts.types);
  types_.resize(pieces_.size(), TokenType::kNormal);
  scores_ = std::move(parts.scores);
  for (std::size_t i = 0; i < scores_.size(); ++i)
    if (!std::isfinite(scores_[i]))
      fail(ErrorCode::kBadInput, "{}: token {} has the score {}, which is not a number", parts.scores_name, i,
           scores_[i]);
}

void Vocabulary::set_merges(const VocabularyParts& parts) {
  const std::vector<VocabularyParts::Merge>& merges = parts.merges;
  if (merges.size() >= std::numeric_limits<uint32_t>::max())
    fail(ErrorCode::kBadInput, "{}: {} merges; fewer than 2^32 - 1 are possible", parts.merges_name,
         merges.size());
  merges_.reserve(merges.size());
  std::vector<std::array<std::size_t, 2>> pairs;  // (both ids in one number, entry)
  pairs.reserve(merges.size());
  std::string joined;
  const auto written = [&](std::size_t i) {
    return quote(fmt::format("{} {}", merges[i].left, merges[i].right));
  };
  for (std::size_t i = 0; i < merges.size(); ++i) {
    const auto known = [&](std::string_view piece) {
      const TokenId id = find(piece);
      if (id < 0)
        fail(ErrorCode::kBadInput, "{}: entry {} {} needs a token {}, which {} lacks", parts.merges_name, i,
             written(i), quote(piece), parts.pieces_name);
      return id;
    };
    joined.assign(merges[i].left).append(merges[i].right);
    merges_.push_back({known(merges[i].left), known(merges[i].right), known(joined)});
    pairs.push_back(
        {static_cast<std::size_t>(merges_[i].left) << 32 | static_cast<std::size_t>(merges_[i].right), i});
  }
  std::sort(pairs.begin(), pairs.end());
  const auto twice = std::adjacent_find(pairs.begin(), pairs.end(),
                                        [](const auto& a, const auto& b) { return a[0] == b[0]; });
  if (twice != pairs.end())
    fail(ErrorCode::kBadInput, "{}: entries {} and {} are both {}", parts.merges_name, (*twice)[1],
         (*(twice + 1))[1], written((*twice)[1]));
}

void Vocabulary::set_special(const VocabularyParts& parts) {
  const auto is_id = [&](TokenId id) { return id >= -1 && id < size(); };
  KELDA_CHECK(is_id(parts.bos) && is_id(parts.eos) && is_id(parts.unknown));
  KELDA_CHECK((parts.bos >= 0 || !parts.add_bos) && (parts.eos >= 0 || !parts.add_eos));
  bos_ = parts.bos;
  eos_ = parts.eos;
  unknown_ = parts.unknown;
  if (const auto at = std::find(types_.begin(), types_.end(), TokenType::kUnknown);
      unknown_ < 0 && at != types_.end())
    unknown_ = static_cast<TokenId>(at - types_.begin());
  add_bos_ = parts.add_bos;
  add_eos_ = parts.add_eos;
  add_space_prefix_ = parts.add_space_prefix;
  remove_extra_whitespaces_ = parts.remove_extra_whitespaces;
  lowercase_ = parts.lowercase;
  strip_accents_ = parts.strip_accents;

  end_tokens_ = parts.end_tokens;
  if (eos_ >= 0) end_tokens_.push_back(eos_);
  for (const TokenId id : end_tokens_) KELDA_CHECK(id >= 0 && id < size());
  for (const std::string_view marker : kEndMarkers) {
    const TokenId id = find(marker);
    if (id >= 0 && (type(id) == TokenType::kControl || type(id) == TokenType::kUserDefined))
      end_tokens_.push_back(id);
  }
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
