// What is asked of the engine, and what it answers while it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/knob.h"
#include "learned/vocabulary.h"

namespace kelda {

using RequestId = int64_t;

struct Request {
  std::vector<TokenId> prompt;  // at least one token
  Knobs knobs;                  // from sampling::request_knobs(): samplers, seed, max_tokens, stop, …
  bool logprobs = false;        // costs a pass over the vocabulary per token
};

enum class FinishReason { kStop, kLength, kCancelled, kError };
std::string_view name(FinishReason reason);  // OpenAI's words: "stop", "length", …

struct Usage {
  int64_t prompt_tokens = 0;
  int64_t completion_tokens = 0;  // drawn, the end token included
  int64_t passes = 0;             // forward passes this request took part in
};

// Prompt and answer share one budget; nothing of it is used without being told.
struct ContextReport {
  int64_t window = 0;
  int64_t prompt_kept = 0;
  int64_t prompt_dropped = 0;
  int64_t prompt_cached = 0;  // of those kept: read before, for another request
  int64_t left = 0;           // after the answer
};

// One step of one request.
struct Event {
  RequestId request = 0;
  std::optional<TokenId> token;  // what was drawn; absent for a request that ends without drawing
  double logprob = 0;            // of that token in the raw distribution, where asked for
  std::string text;  // what may be shown now; halves of characters and of stop strings are held back
  std::optional<FinishReason> finish;  // set on the last event
  std::string stop;                    // the stop string or end token's piece that ended it, if one did
  std::string error;                   // kError: what happened to this request; others go on
  ErrorCode error_code = ErrorCode::kInternal;  // with error
  Usage usage;                                  // with finish
  ContextReport context;                        // with finish
};

}  // namespace kelda
