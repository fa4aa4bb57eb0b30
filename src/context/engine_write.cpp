#include "context/engine_write.h"

#include <utility>

#include "base/error.h"
#include "sampling/request_knobs.h"

namespace kelda::context {

Write engine_write(Engine& engine, std::function<bool()> stop) {
  return [&engine, stop = std::move(stop)](std::vector<TokenId> prompt, int64_t max_tokens) {
    Knobs knobs(sampling::request_knobs());
    knobs.set("temperature", 0.0, "context");
    knobs.set("max_tokens", max_tokens, "context");
    const Engine::Admitted admitted = engine.add({std::move(prompt), std::move(knobs)});
    Written written;
    Event last;
    while (engine.step([&](const Event& event) {
      written.text += event.text;
      if (event.finish) last = event;
    })) {
      if (stop && stop()) engine.cancel(admitted.id);
    }
    if (last.finish == FinishReason::kError) throw Error(last.error_code, last.error);
    if (last.finish == FinishReason::kCancelled)
      fail(ErrorCode::kInterrupted, "stopped before the answer, while the prompt was made to fit");
    written.ended = last.finish == FinishReason::kStop;
    written.usage = last.usage;
    return written;
  };
}

}  // namespace kelda::context
