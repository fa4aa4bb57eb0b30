#include "apps/kelda/generation.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "apps/kelda/terminal/style.h"
#include "base/error.h"
#include "calc/memory.h"

namespace kelda::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace

Answer generate(Engine& engine, Request request, const InterruptGuard& interrupt,
                const std::function<void(std::string_view)>& show,
                const std::function<void(const Engine::Admitted&)>& on_admitted,
                const std::function<void(const DrawReport&)>& on_draw) {
  Answer a;
  const auto start = Clock::now();
  a.admitted = engine.add(std::move(request));
  on_admitted(a.admitted);
  auto first_token_at = start;
  while (engine.step([&](const Event& event) {
    if (event.token) {
      if (a.ids.empty()) first_token_at = Clock::now();
      a.ids.push_back(*event.token);
    }
    if (event.draw) {
      if (on_draw) on_draw(*event.draw);
      a.draws.push_back(*event.draw);
    }
    if (event.logprobs) a.logprobs.push_back(*event.logprobs);
    if (!event.prompt_logprobs.empty()) a.prompt_logprobs = event.prompt_logprobs;
    a.text += event.text;
    if (!event.text.empty()) show(event.text);
    if (event.finish) a.last = event;
  })) {
    if (interrupt.interrupted()) engine.cancel(a.admitted.id);
  }
  a.timings.to_first_token = seconds(first_token_at - start);
  a.timings.generation = seconds(Clock::now() - first_token_at);
  a.timings.prompt_tokens = a.last.usage.prompt_tokens;
  a.timings.cached = a.last.context.prompt_cached;
  a.timings.drawn = a.last.usage.completion_tokens;
  return a;
}

nlohmann::json timings_json(const Timings& t, const Runner& runner) {
  // Null where nothing was drawn, or nothing after the first token: there is no rate to tell.
  nlohmann::json ttft, prefill, decode;
  if (t.drawn > 0) {
    ttft = t.to_first_token * 1e3;
    prefill = static_cast<double>(t.prompt_tokens - t.cached) / t.to_first_token;
  }
  if (t.drawn > 1) decode = static_cast<double>(t.drawn - 1) / t.generation;
  return {{"load_ms", t.load * 1e3},
          {"ttft_ms", ttft},
          {"prompt_tok_s", prefill},
          {"generation_tok_s", decode},
          {"learned_bytes", runner.model().learned_bytes()},
          {"kv_bytes", runner.cache().most_bytes_used()},
          {"scratch_bytes", runner.scratch_bytes()},
          {"peak_resident_bytes", calc::peak_resident_bytes()}};
}

std::string timings_text(const Timings& t, const Runner& runner) {
  const nlohmann::json j = timings_json(t, runner);
  const auto rate = [&](const char* key) {
    return j[key].is_null() ? std::string() : fmt::format(", {:.1f} tok/s", j[key].get<double>());
  };
  const auto mb = [&](const char* key) { return j[key].get<double>() / 1e6; };
  std::string text;
  if (t.load > 0) text += fmt::format("load {:.0f} ms | ", t.load * 1e3);
  if (t.drawn > 0) text += fmt::format("first token after {:.0f} ms | ", t.to_first_token * 1e3);
  const std::string cached = t.cached > 0 ? fmt::format(" ({} of them known)", t.cached) : "";
  text += fmt::format("prompt {}{}{} | generation {}{}\n", counted(t.prompt_tokens, "token"), cached,
                      rate("prompt_tok_s"), counted(t.drawn, "token"), rate("generation_tok_s"));
  text += fmt::format("memory: learned {:.1f} MB, KV cache {:.1f} MB, scratch {:.1f} MB, peak {:.1f} MB\n",
                      mb("learned_bytes"), mb("kv_bytes"), mb("scratch_bytes"), mb("peak_resident_bytes"));
  return text;
}

nlohmann::json usage_json(const Usage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},
          {"completion_tokens", usage.completion_tokens},
          {"passes", usage.passes},
          {"prefill_passes", usage.prefill_passes},
          {"decode_passes", usage.passes - usage.prefill_passes}};
}

std::string passes_text(const Usage& usage) {
  return fmt::format("{} {} {}: {} prefill, {}\n", counted(usage.completion_tokens, "token"),
                     usage.completion_tokens == 1 ? "is" : "are",
                     usage.passes == 1 ? "1 pass" : fmt::format("{} passes", usage.passes),
                     usage.prefill_passes, counted(usage.passes - usage.prefill_passes, "decode step"));
}

void write_out(std::string_view text) {
  const bool whole =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!whole) fail(ErrorCode::kIo, "cannot write to stdout: {}", std::strerror(errno));
}

}  // namespace kelda::cli
