#include "sampling/profiles.h"

#include <fmt/format.h>

#include "sampling/sampler_order.h"

namespace kelda::sampling {
namespace {

Profile llama_cpp() {
  return {.name = "llama.cpp",
          .about = "llama.cpp as packed with llama-cpp-python 0.3.36: common/common.h, common/sampling.cpp",
          .values = {{"temperature", 0.8},
                     {"top_k", 40},
                     {"top_p", 0.95},
                     {"min_p", 0.05},
                     {"repetition_window", 64},
                     {"frequency_window", 64},
                     {"frequency_prompt", 1},
                     {"dry_window", 64}},
          .order = {"logit_bias", "repetition_penalty", "frequency_presence", "dry", "top_n_sigma", "top_k",
                    "typical_p", "top_p", "min_p", "xtc", "temperature", "mirostat"}};
}

Profile vllm() {
  return {.name = "vllm",
          .about = "vLLM, vllm/v1/sample/sampler.py and vllm/sampling_params.py",
          .values = {},
          .order = {"bad_words", "logit_bias", "repetition_penalty", "frequency_presence", "temperature",
                    "min_p", "top_k", "top_p"}};
}

Profile hf() {
  return {.name = "hf",
          .about = "transformers 5.24.0, generate() with do_sample: generation/utils.py",
          .values = {{"top_k", 50}},
          .order = {"logit_bias", "repetition_penalty", "no_repeat_ngram", "bad_words", "temperature",
                    "top_k", "top_p", "min_p", "typical_p"}};
}

KnobValue value_for(const Knob& knob, double value) {
  if (knob.type == KnobType::kInt) return static_cast<int64_t>(value);
  if (knob.type == KnobType::kBool) return value != 0;
  return value;
}

// Whether a value matters beside temperature 0, which leaves out the samplers from kTemperature on.
bool counts(std::string_view knob, bool greedy) {
  for (const SamplerSpec* spec : samplers_in_order()) {
    for (const Knob& row : spec->knobs) {
      if (row.name == knob) return !greedy || spec->stage < Stage::kTemperature;
    }
  }
  return true;
}

// What another profile set before this one was named.
void forget_others(Knobs& knobs) {
  const bool named = !knobs.text("profile").empty();
  const Knobs defaults(knobs.known());
  for (const Knob* knob : knobs.known()) {
    const std::string source(knobs.source(knob->name));
    const bool others = source.rfind("profile ", 0) == 0 && source != profile_source(knobs);
    if (others || (named && source == kHouseProfile))
      knobs.set(knob->name, defaults.value_of(knob->name), "default");
  }
}

}  // namespace

const std::vector<Profile>& profiles() {
  // Ours is mild: less random than the raw distribution, with the far tail cut off.
  static const std::vector<Profile> all = {{.name = "kelda",
                                            .about = "our own, for people who name nothing",
                                            .values = {{"temperature", 0.7}, {"top_p", 0.95}},
                                            .order = {}},
                                           llama_cpp(),
                                           vllm(),
                                           hf()};
  return all;
}

std::vector<std::string_view> profile_names() {
  std::vector<std::string_view> names;
  for (const Profile& p : profiles()) names.push_back(p.name);
  return names;
}

std::string profile_source(const Knobs& knobs) { return fmt::format("profile {}", knobs.text("profile")); }

Knobs with_profile(Knobs knobs) {
  const std::string name = knobs.text("profile");
  forget_others(knobs);
  for (const Profile& profile : profiles()) {
    if (profile.name != name) continue;
    const std::string source = profile_source(knobs);
    const bool greedy = is_greedy(knobs);
    for (const auto& [knob, value] : profile.values) {
      if (!knobs.is_set(knob) && counts(knob, greedy))
        knobs.set(knob, value_for(knobs.find(knob), value), source);
    }
    if (!profile.order.empty() && !knobs.is_set("sampler_order")) {
      knobs.set("sampler_order", std::vector<std::string>(profile.order.begin(), profile.order.end()),
                source);
    }
  }
  return knobs;
}

const Profile& house_profile() { return profiles().front(); }

std::string profile_note() {
  std::string values;
  for (const ProfileValue& v : house_profile().values)
    values += fmt::format("{}{} {}", values.empty() ? "" : ", ", v.knob, v.value);
  return fmt::format(
      "Defaults are those of a request by a program. Commands that answer a person (kelda run, kelda chat, "
      "kelda explain) "
      "set what "
      "is left out to what the model's publisher recommends (kelda models --json, generation_config.json, or "
      "general.sampling of a GGUF file), or else to the house profile: {}. "
      "They say so on stderr, kelda explain beside its settings. With temperature 0 nothing else is set. A "
      "profile that is named takes the "
      "place "
      "of both.",
      values);
}

}  // namespace kelda::sampling
