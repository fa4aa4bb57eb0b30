#include "apps/kelda/settings.h"

#include <string>
#include <type_traits>
#include <variant>

namespace kelda::cli {
namespace {

nlohmann::json value_json(const KnobValue& value) {
  return std::visit(
      [](const auto& v) -> nlohmann::json {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::is_same_v<T, Seed>) {
          return v.value ? nlohmann::json(*v.value) : nlohmann::json();
        } else if constexpr (std::is_same_v<T, TokenBias>) {
          nlohmann::json biases = nlohmann::json::object();
          for (const auto& [id, bias] : v) biases[std::to_string(id)] = bias;
          return biases;
        } else {
          return v;
        }
      },
      value);
}

}  // namespace

nlohmann::json settings_json(const Knobs& knobs) {
  nlohmann::json settings = nlohmann::json::object();
  for (const Knob* k : knobs.known())
    settings[std::string(k->name)] = {{"value", value_json(knobs.value_of(k->name))},
                                      {"from", std::string(knobs.source(k->name))}};
  return settings;
}

}  // namespace kelda::cli
