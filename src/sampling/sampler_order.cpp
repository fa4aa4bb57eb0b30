#include "sampling/sampler_order.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/error.h"

namespace kelda::sampling {

const SamplerList& samplers_in_order() {
  static const SamplerList ordered = [] {
    SamplerList out(samplers().begin(), samplers().end());
    std::stable_sort(out.begin(), out.end(),
                     [](const SamplerSpec* a, const SamplerSpec* b) { return a->stage < b->stage; });
    return out;
  }();
  return ordered;
}

std::vector<std::string_view> sampler_names() {
  std::vector<std::string_view> names;
  for (const SamplerSpec* spec : samplers_in_order()) names.push_back(spec->name);
  return names;
}

SamplerList ordered_as_asked(const SamplerList& all, const Knobs& knobs) {
  const std::vector<std::string>& names = knobs.texts("sampler_order");
  if (names.empty()) return all;
  SamplerList out;
  for (const std::string& name : names) {
    const auto spec =
        std::find_if(all.begin(), all.end(), [&](const SamplerSpec* s) { return s->name == name; });
    KELDA_CHECK(spec != all.end());  // the knob's row allows no other names
    if (!out.empty() && out.back()->stage == Stage::kMirostat) {
      fail(ErrorCode::kUsage,
           "sampler_order has {} after {}, which must be the last: it learns from the draw", name,
           out.back()->name);
    }
    out.push_back(*spec);
  }
  return out;
}

const SamplerSpec* replacer_of(const SamplerList& ordered, const Knobs& knobs) {
  for (const SamplerSpec* spec : ordered) {
    if (spec->replaces != nullptr && !spec->replaces(knobs).empty()) return spec;
  }
  return nullptr;
}

SamplerList acting(const SamplerList& all, const Knobs& knobs) {
  const SamplerList ordered = ordered_as_asked(all, knobs);
  const SamplerSpec* replacer = replacer_of(ordered, knobs);
  const bool greedy = is_greedy(knobs);
  SamplerList out;
  for (const SamplerSpec* spec : ordered) {
    if (!spec->is_on(knobs)) continue;
    if (greedy && spec->stage >= Stage::kTemperature) continue;
    if (replacer != nullptr && spec != replacer && spec->stage >= Stage::kTopK) continue;
    out.push_back(spec);
  }
  return out;
}

bool is_greedy(const Knobs& knobs) { return knobs.number("temperature") == 0; }

}  // namespace kelda::sampling
