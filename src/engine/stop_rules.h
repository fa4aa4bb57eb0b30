// Where one answer ends by what it says: the model's end tokens, the request's own stop tokens and stop
// texts, and none of them before min_tokens. STATE of one request.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/knob.h"
#include "engine/request.h"
#include "learned/vocabulary.h"
#include "text/detokenizer.h"

namespace kelda {

class StopRules {
 public:
  // The vocabulary outlives this. Throws kUsage for a stop token that is not one of its `vocab_size` ids.
  StopRules(const Knobs& knobs, const Vocabulary& vocabulary, int64_t vocab_size);

  // The logits that token number n (from 0) may be drawn from: before min_tokens without the tokens that
  // would end the answer, else `logits` itself. Valid until the next call. Throws kUsage where that leaves
  // nothing.
  std::span<const float> drawable(std::span<const float> logits, int64_t n);

  struct Stop {
    StopRule rule;
    std::string text;  // the stop text, or the token's piece
  };
  // Whether this token ends the answer. Such a token is not shown.
  std::optional<Stop> token_stop(TokenId id) const;
  // `text` came with token number n; returns what may be shown. What begins in the first min_tokens tokens
  // passes unseen.
  std::string push(std::string_view text, int64_t n);
  // What was held back, at the end of an answer that no stop text has ended.
  std::string finish() { return matcher_.finish(); }
  std::optional<Stop> text_stop() const;

 private:
  bool ends(TokenId id) const;

  const Vocabulary& vocabulary_;
  bool ignore_eos_;
  int64_t min_tokens_;
  std::vector<TokenId> stop_tokens_;  // sorted
  std::vector<std::string> texts_;
  text::StopMatcher matcher_;
  std::vector<float> masked_;
};

}  // namespace kelda
