#include "sampling/request_knobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cpu.h"

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

// The first sampler that always leaves one token, or nullptr.
const SamplerSpec* decider_of(const Knobs& knobs) {
  for (const SamplerSpec* spec : samplers_in_order()) {
    if (spec->decides != nullptr && !spec->decides(knobs).empty()) return spec;
  }
  return nullptr;
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
  const FloatEnvironment rounding;  // a denormal knob is not 0
  std::vector<std::string> out;
  const auto add = [&](std::string_view name, std::string_view why) {
    if (knobs.is_set(name)) out.push_back(fmt::format("{} has no effect: {}", name, why));
  };
  const SamplerSpec* decider = decider_of(knobs);
  const std::string_view why = decider == nullptr ? std::string_view() : decider->decides(knobs);
  for (const SamplerSpec* spec : samplers_in_order()) {
    if (spec->inert != nullptr) {
      for (const Inert& inert : spec->inert(knobs)) add(inert.knob, inert.why);
    }
    const bool counts = decider == nullptr || spec == decider || spec->stage < Stage::kTemperature;
    if (counts || spec->make(knobs) == nullptr) continue;
    for (const Knob& knob : spec->knobs) add(knob.name, why);
  }
  if (decider != nullptr && knobs.seed("seed").value) add("seed", why);
  return out;
}

std::span<const ProfileValue> house_profile() {
  // Mild: less random than the raw distribution, with the far tail cut off.
  static constexpr ProfileValue kValues[] = {{"temperature", 0.7}, {"top_p", 0.95}};
  return kValues;
}

std::string profile_note() {
  std::string values;
  for (const ProfileValue& v : house_profile())
    values += fmt::format("{}{} {}", values.empty() ? "" : ", ", v.knob, v.value);
  return fmt::format(
      "Defaults are those of a request by a program. Commands that answer a person (kelda run, kelda chat) "
      "set what "
      "is left out to what the model's publisher recommends (kelda models --json, generation_config.json, or "
      "general.sampling of a GGUF file), or else to the house profile: {}. "
      "They say so on stderr. With temperature 0 nothing else is set.",
      values);
}

}  // namespace kelda::sampling
