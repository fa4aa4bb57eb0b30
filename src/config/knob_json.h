// Values of knobs from JSON, as in request bodies and configuration files, and back.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "config/knob.h"

namespace kelda {

inline constexpr int kMaxJsonDepth = 64;

// Parses an object. Malformed text, duplicate keys, numbers beyond a double or so near 0 that they would
// become 0, and more than kMaxJsonDepth levels throw kUsage with the byte offset or the field.
nlohmann::json parse_json_object(std::string_view text);

// Sets one knob; null changes nothing. A wrong JSON type throws kUsage and is named.
void set_from_json_value(Knobs& knobs, std::string_view name, const nlohmann::json& value,
                         std::string_view source);

// {"temperature": {"value": 0.7, "from": "flag"}, …}: every knob, those at their default too. A seed that is
// to be chosen is null.
nlohmann::json settings_json(const Knobs& knobs);

}  // namespace kelda
