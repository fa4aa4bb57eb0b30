// Everything a request can set about its text, in the documented order: the samplers' rows, then those of the
// request.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/sampler.h"

namespace kelda::sampling {

// The catalogue in the order of the chain.
const std::vector<const SamplerSpec*>& samplers_in_order();

// The rows that `Knobs` of one request are made from. They live as long as the program.
const std::vector<const Knob*>& request_knobs();

// One sentence for each knob that was set and cannot have an effect beside the others.
std::vector<std::string> notices(const Knobs& knobs);

// The house profile: what commands that answer a person set where neither the person nor the model's
// publisher says otherwise.
struct ProfileValue {
  std::string_view knob;
  double value;
};
std::span<const ProfileValue> house_profile();
// How defaults, publisher's values and house profile go together, in a few sentences for people.
std::string profile_note();

}  // namespace kelda::sampling
