// What was set and cannot have an effect: told with each request.
#include <fmt/format.h>

#include <algorithm>

#include "base/cpu.h"
#include "sampling/profiles.h"
#include "sampling/request_knobs.h"

namespace kelda::sampling {
namespace {

class Notices {
 public:
  explicit Notices(const Knobs& knobs)
      : knobs_(knobs),
        from_profile_(profile_source(knobs)),
        ordered_(ordered_as_asked(samplers_in_order(), knobs)),
        replacer_(replacer_of(ordered_, knobs)) {}

  std::vector<std::string> all() {
    not_in_the_order();
    beside_their_own();
    beside_a_replacer();
    beside_a_decider();
    beside_the_policy();
    if (knobs_.boolean("processed_logprobs") && knobs_.integer("logprobs") < 0)
      add("processed_logprobs", "logprobs is -1, which is off");
    return std::move(out_);
  }

 private:
  // A profile may set what it does not use itself: that is told only where its user went another way.
  void add(std::string_view name, std::string_view why, bool of_profile_too = false) {
    if (!knobs_.is_set(name) || (!of_profile_too && knobs_.source(name) == from_profile_)) return;
    if (std::find(told_.begin(), told_.end(), name) != told_.end()) return;  // one reason is enough
    told_.push_back(name);
    out_.push_back(fmt::format("{} has no effect: {}", name, why));
  }
  void add_all(const SamplerSpec& spec, std::string_view why, bool of_profile_too = false) {
    for (const Knob& knob : spec.knobs) add(knob.name, why, of_profile_too);
  }

  void not_in_the_order() {
    const bool is_another_order = knobs_.source("sampler_order") != from_profile_;
    for (const SamplerSpec* spec : samplers_in_order()) {
      if (std::find(ordered_.begin(), ordered_.end(), spec) != ordered_.end()) continue;
      if (!spec->is_on(knobs_)) continue;
      add_all(*spec, fmt::format("sampler_order does not name {}", spec->name), is_another_order);
    }
  }

  void beside_their_own() {
    for (const SamplerSpec* spec : ordered_) {
      if (spec->inert == nullptr || is_left_out(*spec)) continue;
      for (const Inert& inert : spec->inert(knobs_)) add(inert.knob, inert.why);
    }
  }

  bool is_replaced(const SamplerSpec& spec) const {
    return replacer_ != nullptr && &spec != replacer_ && spec.stage >= Stage::kTopK;
  }
  bool is_left_out(const SamplerSpec& spec) const {
    return is_replaced(spec) || (is_greedy(knobs_) && spec.stage > Stage::kTemperature);
  }

  void beside_a_replacer() {
    if (is_greedy(knobs_)) return;  // which is told of all of them
    for (const SamplerSpec* spec : ordered_) {
      if (is_replaced(*spec) && spec->is_on(knobs_)) add_all(*spec, replacer_->replaces(knobs_));
    }
  }

  // What always leaves one token makes everything without effect that comes after it, and what comes before
  // it from kTemperature on, but for samplers that may have taken away the best one.
  void beside_a_decider() {
    if (is_greedy(knobs_)) return beside_greedy();
    const SamplerList samplers = acting(samplers_in_order(), knobs_);
    const auto decides = [&](const SamplerSpec* s) {
      return s->decides != nullptr && !s->decides(knobs_).empty();
    };
    const auto decider = std::find_if(samplers.begin(), samplers.end(), decides);
    if (decider == samplers.end()) return;
    const std::string_view why = (*decider)->decides(knobs_);
    const auto last_that_counts = std::find_if(std::make_reverse_iterator(decider), samplers.rend(),
                                               [](const SamplerSpec* s) { return s->may_drop_best; });
    bool by_chance = false;
    for (auto s = samplers.begin(); s != samplers.end(); ++s) {
      const bool leads_up = s < last_that_counts.base();
      by_chance |= leads_up && (*s)->chance != nullptr;
      if (s != decider && !leads_up && (s > decider || (*s)->stage >= Stage::kTemperature)) add_all(**s, why);
    }
    if (!by_chance && knobs_.seed("seed").value) add("seed", why);
  }

  void beside_greedy() {
    std::string_view why;
    for (const SamplerSpec* spec : samplers_in_order()) {
      if (spec->stage == Stage::kTemperature) why = spec->decides(knobs_);
    }
    for (const SamplerSpec* spec : ordered_) {
      if (spec->stage > Stage::kTemperature && spec->is_on(knobs_)) add_all(*spec, why);
    }
    if (knobs_.seed("seed").value) add("seed", why);
  }

  void beside_the_policy() {
    const std::string& policy = knobs_.text("context_policy");
    const std::string why = "context_policy is " + policy;
    const bool shortens = policy == "truncate" || policy == "summarize";
    if (!shortens) add("context_keep", why);
    if (policy == "refuse") add("answer_room", why);
    if (policy != "split") {
      add("split_question", why);
      add("split_overlap", why);
    }
  }

  const Knobs& knobs_;
  std::string from_profile_;
  SamplerList ordered_;
  const SamplerSpec* replacer_;  // or nullptr
  std::vector<std::string_view> told_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> notices(const Knobs& knobs) {
  const FloatEnvironment rounding;  // a denormal knob is not 0
  return Notices(with_profile(knobs)).all();
}

}  // namespace kelda::sampling
