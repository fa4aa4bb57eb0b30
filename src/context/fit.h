// A prompt made to fit the window, as the request's context_policy says: docs/explain/context.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "context/means.h"
#include "context/policy.h"
#include "engine/request.h"

namespace kelda::context {

// A summary that a conversation already has: of its first messages, pinned ones not counted.
struct Digest {
  std::size_t n_messages = 0;
  std::string text = {};
};

struct Fitted {
  std::vector<TokenId> prompt;  // to be read for the answer
  int64_t given = 0;            // tokens, as in ContextReport: given = kept + dropped + summarised,
  int64_t kept = 0, dropped = 0, summarised = 0;
  int64_t added = 0;        // and prompt.size() = kept + added
  std::size_t n_turns = 0;  // that are dropped or condensed
  bool cut = false;         // a raw text or a message is
  int64_t n_runs = 0;       // of the model, and what they cost
  Usage usage = {};
  std::vector<std::string> notices = {};  // what was done; empty where the prompt fits as it is
  Digest digest = {};                     // for the next prompt of this conversation
};

// The prompt as it was given where that leaves settings.room or is refused by policy: then it is the engine
// that refuses it. Else what the policy makes of it, counted with the template and tokenizer themselves.
//   means: that have cost nothing yet. before: what an earlier call for this conversation gave.
//   Throws kContextLength with the counts where the policy cannot make it fit, what split() (context/split.h)
//   asks for, and what the runs of the model throw.
Fitted fit(const Given& given, const Settings& settings, Means& means, const Digest& before = {});

// Puts into the last event of the answer what making it fit has taken: usage and context.
void add_to_report(const Fitted& fitted, Event& last);

}  // namespace kelda::context
