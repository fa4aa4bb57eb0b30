#include "sampling/request_knobs.h"

#include "sampling/profiles.h"

namespace kelda::sampling {
namespace {

// Knobs of a request that belong to no sampler.
const std::vector<Knob>& own_rows() {
  static const std::vector<Knob> rows = {
      {.name = "max_tokens",
       .type = KnobType::kInt,
       .def = 2147483647,
       .lo = 0,
       .hi = 2147483647,
       .unit = "tokens",
       .help = "Stop after this many tokens. 0 evaluates the prompt only.",
       .def_words = "the room left in the window"},
      {.name = "stop",
       .type = KnobType::kTextList,
       .max_items = 16,
       .max_bytes = 256,
       .help = "Stop where one of these texts comes up in the output; the text itself is not returned."},
      {.name = "seed",
       .type = KnobType::kSeed,
       .help = "The same seed gives the same tokens. -1: one is chosen at random and reported."},
      {.name = "ignore_eos",
       .type = KnobType::kBool,
       .help = "Go on after the model's end-of-text tokens, for measuring."},
      {.name = "sampler_order",
       .type = KnobType::kTextList,
       .max_items = 64,
       .max_bytes = 64,
       .help = "The samplers that run, in this order; what is not named does not run.",
       .def_words = "the documented order",
       .choices = sampler_names},
      {.name = "profile",
       .type = KnobType::kText,
       .max_bytes = 64,
       .help = "The order and the defaults of an engine, for what is not set.",
       .choices = profile_names},
  };
  return rows;
}

}  // namespace

const std::vector<const Knob*>& request_knobs() {
  static const std::vector<const Knob*> rows = [] {
    std::vector<const Knob*> out;
    for (const SamplerSpec* spec : samplers_in_order()) {
      for (const Knob& knob : spec->knobs) out.push_back(&knob);
    }
    for (const Knob& knob : own_rows()) out.push_back(&knob);
    return out;
  }();
  return rows;
}

}  // namespace kelda::sampling
