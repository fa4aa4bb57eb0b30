#include "apps/kelda/profile.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

namespace kelda::cli {
namespace {

// Mild: less random than the raw distribution, with the far tail cut off.
const std::vector<std::pair<std::string, double>> kHouse = {{"temperature", 0.7}, {"top_p", 0.95}};

}  // namespace

std::string apply_profile(const hub::Resolved& model, Knobs& knobs) {
  if (knobs.is_set("temperature") && knobs.number("temperature") == 0) return {};
  const bool published = model.entry != nullptr && !model.entry->knobs.empty();
  const auto& values = published ? model.entry->knobs : kHouse;
  const std::string source = published ? model.entry->knobs_source : "house profile";
  std::string told;
  for (const auto& [name, value] : values) {
    if (knobs.is_set(name)) continue;
    const bool integer = knobs.find(name).type == KnobType::kInt;
    knobs.set(name, integer ? KnobValue(static_cast<int64_t>(std::llround(value))) : KnobValue(value),
              source);
    told += fmt::format("{}{} {}", told.empty() ? "" : ", ", name, value);
  }
  return told.empty() ? told : fmt::format("{} ({})", told, source);
}

}  // namespace kelda::cli
