#include "apps/kelda/profile.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "apps/kelda/catalog_knobs.h"
#include "sampling/profiles.h"

namespace kelda::cli {
namespace {

// The catalogue's, which somebody has looked at, before the file's own, before the house profile.
Recommended choose(const hub::Resolved& resolved, const Recommended& of_model) {
  const hub::CatalogEntry* entry = resolved.entry;
  if (entry != nullptr && !entry->knobs.empty())
    return {entry->knobs_source, {entry->knobs.begin(), entry->knobs.end()}, {}};
  if (!of_model.values.empty()) return of_model;
  Recommended house{std::string(sampling::kHouseProfile), {}, of_model.left_out};
  for (const auto& [name, value] : sampling::house_profile().values) house.values.emplace_back(name, value);
  return house;
}

// What the profile that was named has set, for the user.
std::string apply_named(Knobs& knobs) {
  knobs = sampling::with_profile(std::move(knobs));
  const std::string source = sampling::profile_source(knobs);
  std::vector<std::string> told;
  for (const Knob* knob : knobs.known()) {
    if (knobs.source(knob->name) != source) continue;
    const auto* names = std::get_if<std::vector<std::string>>(&knobs.value_of(knob->name));
    const std::string value =
        names == nullptr ? value_text(knobs.value_of(knob->name)) : fmt::format("{}", fmt::join(*names, ","));
    told.push_back(fmt::format("{} {}", knob->name, value));
  }
  return told.empty() ? "" : fmt::format("{} ({})", fmt::join(told, ", "), source);
}

}  // namespace

std::string apply_profile(const hub::Resolved& resolved, const Recommended& of_model, Knobs& knobs) {
  if (resolved.entry != nullptr) static_cast<void>(catalog_with_known_knobs());
  if (!knobs.text("profile").empty()) return apply_named(knobs);
  if (knobs.is_set("temperature") && knobs.number("temperature") == 0) return {};
  const Recommended chosen = choose(resolved, of_model);
  std::string told;
  for (const auto& [name, value] : chosen.values) {
    if (knobs.is_set(name)) continue;
    knobs.set(name, value_for(knobs.find(name), value), chosen.source);
    told += fmt::format("{}{} {}", told.empty() ? "" : ", ", name, value);
  }
  if (!told.empty()) told = fmt::format("{} ({})", told, chosen.source);
  if (!chosen.left_out.empty())
    told += fmt::format("{}not applied: {}", told.empty() ? "" : "; ", fmt::join(chosen.left_out, ", "));
  return told;
}

}  // namespace kelda::cli
