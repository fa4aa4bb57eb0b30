// What is in effect, and where it came from.
#pragma once

#include <nlohmann/json.hpp>

#include "config/knob.h"

namespace kelda::cli {

// {"temperature": {"value": 0.7, "from": "flag"}, …}: every knob, those at their default too.
nlohmann::json settings_json(const Knobs& knobs);

}  // namespace kelda::cli
