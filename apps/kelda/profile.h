// The settings of a person who named none.
#pragma once

#include <string>

#include "config/knob.h"
#include "engine/recommended.h"
#include "hub/resolve.h"

namespace kelda::cli {

// Sets the knobs of the profile that the user named, or else those that the model's publisher recommends (as
// the catalogue says, or the model's own files), or else the house profile, where the user has not set them;
// with the source that each came from. With temperature 0 chosen by the user what would be inert is not set.
// Returns what to tell the user: "temperature 0.2, top_p 0.9 (model card of …)"; empty if nothing was set.
std::string apply_profile(const hub::Resolved& resolved, const Recommended& of_model, Knobs& knobs);

}  // namespace kelda::cli
