// One request while it runs: what it has read and drawn, and what becomes of each token. STATE, owned by the
// engine, which decides when it reads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/model.h"
#include "engine/request.h"
#include "engine/stop_rules.h"
#include "sampling/chain.h"
#include "state/sequence.h"
#include "text/detokenizer.h"

namespace kelda {

class Running {
 public:
  struct Limits {
    uint64_t seed = 0;
    int64_t max_tokens = 0;  // after clamping
    bool by_window = false;  // the window leaves no more than that
    double deadline = 0;     // on the engine's clock; 0: none
  };
  // Throws kUsage for ids that the model does not have.
  Running(RequestId id, Request request, const Limits& limits, Sequence prefix, const Model& model);

  // The tokens that the next pass should read: what of the prompt is left, or the last one drawn.
  std::span<const TokenId> pending() const;
  bool prefilling() const { return generated_.empty(); }
  // Logits of every token of the prompt are wanted, not of the last one alone.
  bool wants_prompt_rows() const { return prompt_logprobs_ >= 0 && prefilling(); }

  // The logits after prompt token `position`, in order of position. Throws kInternal if none is a number.
  void see_prompt_row(int64_t position, std::span<const float> logits);
  // Draws the next token from raw logits [vocab_size] into the event, or nothing where max_tokens is 0, and
  // gives the reason if the answer ends with it. Throws what Chain::draw() throws; the token, if one was
  // drawn, is then in the event.
  std::optional<FinishReason> draw(std::span<const float> logits, Event& event);
  // Lets out the text that was held back. It may hold a whole stop text, which had waited for an earlier one
  // to come true: the reason is then that.
  void release_text(Event& event, FinishReason& reason);
  // Puts into the last event what is known of the whole answer. Never throws.
  void close(Event& event, FinishReason reason, int64_t window) noexcept;
  bool late(double now) const { return limits_.deadline > 0 && now >= limits_.deadline; }

  // A pass has read n tokens of this request.
  void count_pass(int64_t n);
  // The prompt and what was drawn; the request is over then.
  std::vector<TokenId> take_tokens();

  // When it came, was first read and first drawn, on the engine's clock.
  struct Clock {
    double arrived = 0;
    std::optional<double> began = {}, drew = {};
    PhaseTimes phases(double end) const;
  };

  const RequestId id;
  Sequence sequence;
  Clock clock;
  bool cancelled = false, finished = false;

 private:
  std::optional<FinishReason> stop_by(const StopRules::Stop& stop, Event& event) const;

  std::vector<TokenId> prompt_, generated_;
  const Limits limits_;
  const int64_t logprobs_, prompt_logprobs_;  // how many alternatives; −1: none of it
  const bool processed_;
  sampling::Chain chain_;
  text::Detokenizer text_;
  StopRules stops_;
  const int64_t n_cached_;  // tokens of the prompt that need not be read
  Usage usage_;
  std::vector<TokenReport> prompt_reports_;
  std::optional<sampling::DrawRecorder> recorder_;  // observes the chain, where asked for
};

}  // namespace kelda
