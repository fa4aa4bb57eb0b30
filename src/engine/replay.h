// Runs the request of a trace again, and says whether it goes the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/runner.h"
#include "engine/trace.h"

namespace kelda {

struct Replay {
  enum class Difference {
    kNone,
    kModel,   // it is another model: nothing was run
    kLogits,  // the model gave other logits
    kChain,   // from the same logits another token was drawn, or by another random number
    kFinish,  // the answer ended otherwise, earlier or later
  };
  Difference difference = Difference::kNone;
  int64_t n_equal = 0;  // steps that are the same; with a difference, the number of the step where it is
  std::string why;      // a sentence; empty where there is no difference
};
std::string_view name(Replay::Difference difference);  // "none", "model", "logits", "chain", "finish"

// Why `present` is not the model of a trace; nullopt if it is.
std::optional<std::string> other_model(const Trace::Model& recorded, const Trace::Model& present);

// Runs it to the first difference. A trace that was cut from outside (by a time limit, Ctrl-C or an error) is
// compared as far as it goes. The runner has the trace's compute path, window and rotary positions; threads
// and instruction set are its own. Throws kBadInput, naming the field, for a token outside the
// vocabulary, and what Engine::add() throws for a request that this model cannot have.
Replay replay(const Trace& trace, Runner& runner);

}  // namespace kelda
