// Which samplers run, and in which order.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sampling/sampler.h"

namespace kelda::sampling {

using SamplerList = std::vector<const SamplerSpec*>;

// The catalogue in the documented order.
const SamplerList& samplers_in_order();

// Their names in that order.
std::vector<std::string_view> sampler_names();

// `all` in the order that the request gives (sampler_order), without those that it does not name; `all`
// itself where it gives none. Throws kUsage where a sampler follows one that learns from the draw.
SamplerList ordered_as_asked(const SamplerList& all, const Knobs& knobs);

// What of ordered_as_asked() acts on the candidates: those that are on, but none from kTemperature on where
// temperature 0 takes the likeliest token, and none from kTopK on that another one takes the place of.
SamplerList acting(const SamplerList& all, const Knobs& knobs);

// The sampler that takes the place of others, or nullptr.
const SamplerSpec* replacer_of(const SamplerList& ordered, const Knobs& knobs);

// Temperature 0, whatever the order says.
bool is_greedy(const Knobs& knobs);

}  // namespace kelda::sampling
