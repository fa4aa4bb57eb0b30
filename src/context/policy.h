// What a request chose for a prompt that is too long: its knobs, read and held against each other.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/knob.h"
#include "context/cut.h"

namespace kelda::context {

enum class Policy { kRefuse, kTruncate, kSummarize, kSplit };
std::string_view name(Policy policy);  // as the knob has it

struct Settings {
  Policy policy = Policy::kRefuse;
  Keep keep = Keep::kEnd;
  int64_t room = 0;  // tokens that are left for the answer, where a policy makes a prompt fit
  bool question_first = false;
  double overlap = 0;  // of a piece
};

// What can be said before a model is there. streams: the answer is wanted while it is written.
//   Throws kUsage naming both: split beside streaming, logprobs or prompt_logprobs, a time_limit beside a
//   policy that runs the model before the answer.
void check_policy(const Knobs& knobs, bool streams);

// The room is answer_room or, without one, max_tokens, but at most a quarter of the window; min_tokens where
// that is more. Throws kUsage for a room that leaves nothing of the window or holds less than min_tokens, and
// as check_policy().
Settings settings_of(const Knobs& knobs, int64_t window, bool streams);

}  // namespace kelda::context
