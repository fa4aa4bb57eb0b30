#include "apps/kelda/profile.h"

#include <fmt/format.h>

#include <cmath>

#include "sampling/request_knobs.h"

namespace kelda::cli {

std::string apply_profile(const hub::Resolved& model, Knobs& knobs) {
  if (knobs.is_set("temperature") && knobs.number("temperature") == 0) return {};
  const bool published = model.entry != nullptr && !model.entry->knobs.empty();
  const std::string source = published ? model.entry->knobs_source : "house profile";
  std::string told;
  const auto set = [&](std::string_view name, double value) {
    if (knobs.is_set(name)) return;
    const bool integer = knobs.find(name).type == KnobType::kInt;
    knobs.set(name, integer ? KnobValue(static_cast<int64_t>(std::llround(value))) : KnobValue(value),
              source);
    told += fmt::format("{}{} {}", told.empty() ? "" : ", ", name, value);
  };
  if (published) {
    for (const auto& [name, value] : model.entry->knobs) set(name, value);
  } else {
    for (const auto& [name, value] : sampling::house_profile()) set(name, value);
  }
  return told.empty() ? told : fmt::format("{} ({})", told, source);
}

}  // namespace kelda::cli
