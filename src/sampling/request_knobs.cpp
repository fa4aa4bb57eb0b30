#include "sampling/request_knobs.h"

#include "sampling/profiles.h"

namespace kelda::sampling {
namespace {

// Knobs of a request that belong to no sampler: where it ends, what becomes of a prompt that is too long,
// what is told beside the text, how it is drawn.
const std::vector<Knob>& rows_of_ends() {
  static const std::vector<Knob> rows = {
      {.name = "max_tokens",
       .type = KnobType::kInt,
       .def = 2147483647,
       .lo = 0,
       .hi = 2147483647,
       .unit = "tokens",
       .help = "Stop after this many tokens. 0 evaluates the prompt only.",
       .def_words = "the room left in the window"},
      {.name = "min_tokens",
       .type = KnobType::kInt,
       .def = 0,
       .lo = 0,
       .hi = 2147483647,
       .unit = "tokens",
       .help = "Until there are this many tokens, the model's end-of-text tokens and stop_token_ids are not "
               "drawn, and stop texts that begin in these tokens do not count."},
      {.name = "stop",
       .type = KnobType::kTextList,
       .max_items = 16,
       .max_bytes = 256,
       .help = "Stop where one of these texts comes up in the output; the text itself is not returned."},
      {.name = "stop_token_ids",
       .type = KnobType::kTokenIds,
       .max_items = 1024,
       .help = "Stop where one of these tokens is drawn; its text is not returned."},
      {.name = "time_limit",
       .def = 0,
       .lo = 0,
       .hi = kUnbounded,
       .unit = "seconds",
       .help = "End the answer before the next pass once this long has gone by since the request came; where "
               "that is depends on the machine. 0 = off."},
  };
  return rows;
}

// Read by context/, above the engine: a prompt that the engine gets either fits or is refused.
const std::vector<Knob>& rows_of_the_context() {
  static const std::vector<Knob> rows = {
      {.name = "context_policy",
       .type = KnobType::kText,
       .max_bytes = 64,
       .help = "What becomes of a prompt that does not fit the window: it is refused, its oldest part is "
               "dropped (truncate) or condensed by the model (summarize), or one long message is read in "
               "pieces (split).",
       .def_texts = {"refuse"},
       .choices =
           [] {
             return std::vector<std::string_view>{"refuse", "truncate", "summarize", "split"};
           }},
      {.name = "context_keep",
       .type = KnobType::kText,
       .max_bytes = 64,
       .help = "Which end of a raw prompt, or of a message that alone is too long, is kept.",
       .def_texts = {"end"},
       .choices =
           [] {
             return std::vector<std::string_view>{"end", "start"};
           }},
      {.name = "answer_room",
       .type = KnobType::kInt,
       .def = -1,
       .lo = -1,
       .hi = 2147483647,
       .unit = "tokens",
       .help = "What a policy other than refuse leaves of the window for the answer. -1 = the default.",
       .def_words = "max_tokens, but at most a quarter of the window"},
      {.name = "split_question",
       .type = KnobType::kText,
       .max_bytes = 64,
       .help = "Which paragraph of the long message is the question that split asks of each piece.",
       .def_texts = {"last"},
       .choices =
           [] {
             return std::vector<std::string_view>{"last", "first"};
           }},
      {.name = "split_overlap",
       .def = 0.1,
       .lo = 0,
       .hi = 0.5,
       .unit = "ratio",
       .help = "How much of a piece the next one begins with again."},
  };
  return rows;
}

const std::vector<Knob>& rows_of_what_is_told() {
  static const std::vector<Knob> rows = {
      {.name = "logprobs",
       .type = KnobType::kInt,
       .def = -1,
       .lo = -1,
       .hi = 2147483647,
       .unit = "tokens",
       .help = "Tell the logprob of each token of the answer, and of this many of the likeliest tokens "
               "in its place. -1 = off."},
      {.name = "prompt_logprobs",
       .type = KnobType::kInt,
       .def = -1,
       .lo = -1,
       .hi = 2147483647,
       .unit = "tokens",
       .help = "The same of each token of the prompt after the first; all of the prompt is then read. "
               "-1 = off."},
      {.name = "processed_logprobs",
       .type = KnobType::kBool,
       .help = "With logprobs: also tell those of the distribution that was drawn from, after all samplers."},
  };
  return rows;
}

const std::vector<Knob>& rows_of_the_draw() {
  static const std::vector<Knob> rows = {
      {.name = "seed",
       .type = KnobType::kSeed,
       .help = "The same seed gives the same tokens. -1: one below 2^53, which JSON readers keep "
               "exact, is chosen at random and reported."},
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
    for (const auto* own :
         {&rows_of_ends(), &rows_of_the_context(), &rows_of_what_is_told(), &rows_of_the_draw()}) {
      for (const Knob& knob : *own) out.push_back(&knob);
    }
    return out;
  }();
  return rows;
}

}  // namespace kelda::sampling
