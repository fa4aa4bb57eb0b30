#include "apps/kelda/fitting.h"

#include <utility>

#include "apps/kelda/terminal/progress_bar.h"
#include "apps/kelda/terminal/say.h"
#include "base/error.h"
#include "context/engine_write.h"

namespace kelda::cli {

std::optional<context::Fitted> fit_prompt(Engine& engine, const Model& model, const context::Given& given,
                                          const Knobs& knobs, const InterruptGuard& interrupt, bool quiet,
                                          const context::Digest& before) {
  const context::Settings settings = context::settings_of(knobs, engine.window(), /*streams=*/false);
  ProgressBar bar(ProgressBar::mode(quiet), "runs");
  const context::Write run = context::engine_write(engine, [&] { return interrupt.interrupted(); });
  uint64_t n_runs = 0;
  const auto counted_run = [&](std::vector<TokenId> prompt, int64_t max_tokens) {
    bar.update(context::name(settings.policy), n_runs++, 0, std::nullopt);
    return run(std::move(prompt), max_tokens);
  };
  context::Means means(model.tokenizer(), engine.window(), counted_run);
  try {
    return context::fit(given, settings, means, before);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::kInterrupted) return std::nullopt;
    throw;
  }
}

std::optional<context::Fitted> fit_only_prompt(Engine& engine, const Model& model,
                                               const context::Given& given, const Knobs& knobs,
                                               const InterruptGuard& interrupt, bool quiet) {
  auto fitted = fit_prompt(engine, model, given, knobs, interrupt, quiet);
  if (!fitted) {
    say("stopped before the answer\n");
    return fitted;
  }
  for (const std::string& notice : fitted->notices) say("note: {}\n", notice);
  return fitted;
}

nlohmann::json context_json(const ContextReport& context) {
  return {{"window", context.window},
          {"prompt_given", context.prompt_given},
          {"prompt_kept", context.prompt_kept},
          {"prompt_dropped", context.prompt_dropped},
          {"prompt_summarised", context.prompt_summarised},
          {"prompt_added", context.prompt_added},
          {"prompt_cached", context.prompt_cached},
          {"left", context.left},
          {"runs", context.runs}};
}

}  // namespace kelda::cli
