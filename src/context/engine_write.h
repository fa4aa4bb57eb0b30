// The engine as the model that a policy asks.
#pragma once

#include <functional>

#include "context/means.h"
#include "engine/engine.h"

namespace kelda::context {

// Runs each prompt as a request of its own: temperature 0 and, but for max_tokens, nothing else set. The
// engine outlives this and has no other request meanwhile.
//   stop: asked at every step; where it is true, the run throws kInterrupted. Throws what Engine::add()
//   throws, and the error that ended the run.
Write engine_write(Engine& engine, std::function<bool()> stop);

}  // namespace kelda::context
