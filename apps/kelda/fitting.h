// A prompt made to fit the window before it is answered: what `run` and `chat` have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "apps/kelda/terminal/signals.h"
#include "context/fit.h"
#include "engine/engine.h"

namespace kelda::cli {

// What the knobs' context_policy makes of it; the runs of the model that this takes are counted on stderr,
// unless quiet. nullopt where a signal stopped it. before: what an earlier call for this conversation gave.
//   Throws what context::settings_of() and context::fit() throw. The engine has no other request.
std::optional<context::Fitted> fit_prompt(Engine& engine, const Model& model, const context::Given& given,
                                          const Knobs& knobs, const InterruptGuard& interrupt, bool quiet,
                                          const context::Digest& before = {});

// The same for a command that answers one prompt; says on stderr what was left out, or that a signal came
// first.
std::optional<context::Fitted> fit_only_prompt(Engine& engine, const Model& model,
                                               const context::Given& given, const Knobs& knobs,
                                               const InterruptGuard& interrupt, bool quiet);

nlohmann::json context_json(const ContextReport& context);

}  // namespace kelda::cli
