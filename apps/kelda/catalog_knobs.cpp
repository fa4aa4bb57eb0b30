#include "apps/kelda/catalog_knobs.h"

#include <cmath>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/quote.h"
#include "sampling/request_knobs.h"

namespace kelda::cli {

KnobValue value_for(const Knob& knob, double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const bool whole = std::nearbyint(value) == value && std::abs(value) <= kExact;
  if (knob.type == KnobType::kInt && whole) return static_cast<int64_t>(value);
  return value;
}

namespace {

void check(const hub::CatalogEntry& entry, std::size_t index) {
  Knobs knobs{sampling::request_knobs()};
  for (const auto& [name, value] : entry.knobs) {
    try {
      knobs.set(name, value_for(knobs.find(name), value), entry.knobs_source);
    } catch (const Error& error) {
      const char* path = std::getenv("KELDA_CATALOG");
      const std::string file =
          path == nullptr || *path == '\0' ? "" : fmt::format("{} (KELDA_CATALOG): ", path);
      fail(ErrorCode::kBadInput, "{}model catalogue, models[{}].knobs.values (of {}): {}", file, index,
           quote(entry.name), error.what());
    }
  }
}

}  // namespace

const hub::Catalog& catalog_with_known_knobs() {
  const hub::Catalog& catalog = hub::catalog();
  for (std::size_t i = 0; i < catalog.entries.size(); ++i) check(catalog.entries[i], i);
  return catalog;
}

}  // namespace kelda::cli
