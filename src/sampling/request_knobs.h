// Everything a request can set about its text, in the documented order: the samplers' rows, then those of the
// request.
#pragma once

#include <string>
#include <vector>

#include "sampling/sampler.h"

namespace kelda::sampling {

// The catalogue in the order of the chain.
const std::vector<const SamplerSpec*>& samplers_in_order();

// The rows that `Knobs` of one request are made from. They live as long as the program.
const std::vector<const Knob*>& request_knobs();

// One sentence for each knob that was set and cannot have an effect beside the others.
std::vector<std::string> notices(const Knobs& knobs);

}  // namespace kelda::sampling
