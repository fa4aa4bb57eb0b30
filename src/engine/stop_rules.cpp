#include "engine/stop_rules.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "sampling/candidates.h"

namespace kelda {

StopRules::StopRules(const Knobs& knobs, const Vocabulary& vocabulary, int64_t vocab_size)
    : vocabulary_(vocabulary),
      ignore_eos_(knobs.boolean("ignore_eos")),
      min_tokens_(knobs.integer("min_tokens")),
      stop_tokens_(knobs.token_ids("stop_token_ids")),
      texts_(knobs.texts("stop")),
      matcher_(texts_) {
  std::sort(stop_tokens_.begin(), stop_tokens_.end());
  if (!stop_tokens_.empty() && stop_tokens_.back() >= vocab_size) {
    fail(ErrorCode::kUsage, "stop_token_ids names the token id {}; the model's ids are 0 to {}",
         stop_tokens_.back(), vocab_size - 1);
  }
}

bool StopRules::ends(TokenId id) const {
  const auto& end_tokens = vocabulary_.end_tokens();
  return (!ignore_eos_ && std::binary_search(end_tokens.begin(), end_tokens.end(), id)) ||
         std::binary_search(stop_tokens_.begin(), stop_tokens_.end(), id);
}

std::span<const float> StopRules::drawable(std::span<const float> logits, int64_t n) {
  if (n >= min_tokens_) return logits;
  masked_.assign(logits.begin(), logits.end());
  const auto mask = [&](TokenId id) {
    if (static_cast<std::size_t>(id) < masked_.size())
      masked_[static_cast<std::size_t>(id)] = -std::numeric_limits<float>::infinity();
  };
  if (!ignore_eos_) {
    for (const TokenId id : vocabulary_.end_tokens()) mask(id);
  }
  for (const TokenId id : stop_tokens_) mask(id);
  const auto any = [](std::span<const float> row) {
    return std::any_of(row.begin(), row.end(), sampling::can_be_drawn);
  };
  if (!any(masked_) && any(logits)) {
    fail(ErrorCode::kUsage,
         "min_tokens {} cannot be kept: every token that could come next would end the answer", min_tokens_);
  }
  return masked_;
}

std::optional<StopRules::Stop> StopRules::token_stop(TokenId id) const {
  if (!ends(id)) return std::nullopt;
  const bool own = std::binary_search(stop_tokens_.begin(), stop_tokens_.end(), id);
  // A model may have more rows than its vocabulary has pieces.
  const std::string piece = id < vocabulary_.size() ? vocabulary_.piece(id) : std::string();
  return Stop{own ? StopRule::kStopToken : StopRule::kEndToken, piece};
}

std::string StopRules::push(std::string_view text, int64_t n) {
  return n < min_tokens_ ? std::string(text) : matcher_.push(text);
}

std::optional<StopRules::Stop> StopRules::text_stop() const {
  if (matcher_.matched() < 0) return std::nullopt;
  return Stop{StopRule::kStopText, texts_[static_cast<std::size_t>(matcher_.matched())]};
}

}  // namespace kelda
