// What is asked of the engine, and what it answers while it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/knob.h"
#include "engine/draw_report.h"
#include "engine/logprobs.h"
#include "learned/vocabulary.h"

namespace kelda {

using RequestId = int64_t;

struct Request {
  std::vector<TokenId> prompt;  // at least one token
  // From sampling::request_knobs(): samplers, seed, max_tokens, stop, … A context_policy has been seen to
  // before (context/fit.h): here a prompt fits or is refused.
  Knobs knobs;
  int64_t explain = -1;  // with each token a DrawReport with so many of the likeliest; −1: none
};

enum class FinishReason { kStop, kLength, kTime, kCancelled, kError };
// OpenAI's words where it has one: "stop", "length"; "time" and "cancelled" are ours.
std::string_view name(FinishReason reason);

// Which rule it was that ended an answer.
enum class StopRule { kNone, kEndToken, kStopToken, kStopText, kMaxTokens, kWindow, kTimeLimit };
std::string_view name(StopRule rule);  // "end_token", "stop_text", …; empty for kNone

struct Usage {
  int64_t prompt_tokens = 0;
  int64_t completion_tokens = 0;  // drawn, the end token included
  int64_t passes = 0;             // forward passes this request took part in
  int64_t prefill_passes = 0;     // of those, with tokens of the prompt; each other one read a drawn token
};

// Prompt and answer share one budget; nothing of it is used without being told. In tokens,
//   given = kept + dropped + summarised, and window = kept + added + the answer + left.
// The engine keeps all of what it is given; context/ fills in what became of the rest.
struct ContextReport {
  int64_t window = 0;
  int64_t prompt_given = 0;
  int64_t prompt_kept = 0;
  int64_t prompt_dropped = 0;
  int64_t prompt_summarised = 0;  // not read for the answer, but for what stands in its place
  int64_t prompt_added = 0;       // what stands there
  int64_t prompt_cached = 0;      // of what is read for the answer: read before, for another request
  int64_t left = 0;               // after the answer
  int64_t runs = 0;               // of the model, before that of the answer; their tokens are in the usage
};

// Where a request's time went, in seconds by the engine's clock.
struct PhaseTimes {
  double queue = 0;    // from its arrival to the pass that first reads something of it
  double prefill = 0;  // to its first token, or its end where none was drawn
  double decode = 0;   // to its end
};

// One step of one request.
struct Event {
  RequestId request = 0;
  std::optional<TokenId> token;              // what was drawn; absent for a request that ends without drawing
  std::optional<TokenReport> logprobs;       // of that token, where asked for
  std::optional<DrawReport> draw;            // of that token, where asked for
  std::vector<TokenReport> prompt_logprobs;  // on the first event, where asked for: of prompt tokens 1, 2, …
  std::string text;  // what may be shown now; halves of characters and of stop strings are held back
  std::optional<FinishReason> finish;  // set on the last event
  StopRule rule = StopRule::kNone;     // with finish: the rule that ended it, if one did
  std::string stop;                    // the stop string or the piece of the token that ended it, if one did
  std::vector<std::string> notices;    // with finish: what the reader should know of the answer
  std::string error;                   // kError: what happened to this request; others go on
  ErrorCode error_code = ErrorCode::kInternal;  // with error
  Usage usage;                                  // with finish
  ContextReport context;                        // with finish
  PhaseTimes phases;                            // with finish
};

}  // namespace kelda
