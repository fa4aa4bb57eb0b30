// Everything a request can set about its text, in the documented order: the samplers' rows, then those of the
// request.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/sampler_order.h"

namespace kelda::sampling {

// The rows that `Knobs` of one request are made from. They live as long as the program.
const std::vector<const Knob*>& request_knobs();

// One sentence for each knob that was set and cannot have an effect beside the others. What a profile set is
// left out: nobody asked for it. Throws as ordered_as_asked().
std::vector<std::string> notices(const Knobs& knobs);

}  // namespace kelda::sampling
