// One request run to its end: what `run` and `chat` have in common.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kelda/terminal/signals.h"
#include "engine/engine.h"

namespace kelda::cli {

// What a run is measured by; times in seconds.
struct Timings {
  double load = 0, to_first_token = 0, generation = 0;
  int64_t prompt_tokens = 0, cached = 0, drawn = 0;
};

struct Answer {
  Engine::Admitted admitted;
  std::string text;
  std::vector<TokenId> ids;
  std::vector<TokenReport> logprobs, prompt_logprobs;  // where asked for
  std::vector<DrawReport> draws;                       // likewise
  Event last;
  Timings timings;
};

// Steps the engine until the request, its only one, has ended. `show` gets the text as it becomes certain,
// and `on_draw`, if there is one, each report that was asked for. A Ctrl-C while the guard is up cancels the
// request.
Answer generate(Engine& engine, Request request, const InterruptGuard& interrupt,
                const std::function<void(std::string_view)>& show,
                const std::function<void(const Engine::Admitted&)>& on_admitted,
                const std::function<void(const DrawReport&)>& on_draw = {});

nlohmann::json timings_json(const Timings& timings, const Runner& runner);
// Two lines for people: times and rates, memory.
std::string timings_text(const Timings& timings, const Runner& runner);

nlohmann::json usage_json(const Usage& usage);
// "50 tokens are 50 passes: 1 prefill, 49 decode steps"
std::string passes_text(const Usage& usage);

// Data goes out whole or the command fails: a full disk must not look like success.
void write_out(std::string_view text);

}  // namespace kelda::cli
