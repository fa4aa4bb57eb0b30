#include "sampling/request_knobs.h"

#include <fmt/format.h>

#include <algorithm>

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
  };
  return rows;
}

// Why nothing after `stage` changes the outcome, or empty.
std::string_view decided_by(const Knobs& knobs, Stage stage) {
  if (stage >= Stage::kTemperature && knobs.number("temperature") == 0) {
    return "temperature 0 always takes the likeliest token";
  }
  if (stage != Stage::kTopK && stage >= Stage::kTemperature && knobs.integer("top_k") == 1) {
    return "top_k 1 leaves only the likeliest token";
  }
  return {};
}

}  // namespace

const std::vector<const SamplerSpec*>& samplers_in_order() {
  static const std::vector<const SamplerSpec*> ordered = [] {
    std::vector<const SamplerSpec*> out(samplers().begin(), samplers().end());
    std::stable_sort(out.begin(), out.end(),
                     [](const SamplerSpec* a, const SamplerSpec* b) { return a->stage < b->stage; });
    return out;
  }();
  return ordered;
}

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

std::vector<std::string> notices(const Knobs& knobs) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view name, std::string_view why) {
    if (knobs.is_set(name)) out.push_back(fmt::format("{} has no effect: {}", name, why));
  };
  for (const SamplerSpec* spec : samplers_in_order()) {
    const std::string_view why = decided_by(knobs, spec->stage);
    if (why.empty() || spec->make(knobs) == nullptr) continue;
    for (const Knob& knob : spec->knobs) add(knob.name, why);
  }
  if (knobs.number("repetition_penalty") == 1)
    add("repetition_window", "repetition_penalty is 1, which is off");
  if (knobs.number("repetition_penalty") != 1 && knobs.integer("repetition_window") == 0) {
    add("repetition_penalty", "repetition_window is 0, which is off");
  }
  // Whatever decides a stage beside top-k leaves nothing to chance.
  const std::string_view certain = decided_by(knobs, Stage::kTopP);
  if (!certain.empty() && knobs.seed("seed").value) add("seed", certain);
  return out;
}

}  // namespace kelda::sampling
