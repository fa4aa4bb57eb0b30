// kelda run: a prompt in, text out, streamed.
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/kelda/command.h"
#include "apps/kelda/knob_options.h"
#include "apps/kelda/profile.h"
#include "apps/kelda/session.h"
#include "apps/kelda/terminal/signals.h"
#include "base/error.h"
#include "base/utf8.h"
#include "calc/memory.h"
#include "engine/engine.h"
#include "sampling/request_knobs.h"

namespace kelda::cli::run {
namespace {

constexpr uint64_t kMaxPromptBytes = 64 << 20;

struct Arguments {
  ModelArguments model;
  std::optional<std::string> prompt, prompt_option;
  std::string request_file;
  bool raw = false, json = false, special = false;
  std::span<const Knob* const> known = sampling::request_knobs();
  Knobs knobs{known};
};

// What a run is measured by; times in seconds.
struct Timings {
  double load = 0, to_first_token = 0, generation = 0;
  int64_t prompt_tokens = 0, drawn = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string read_stdin() {
  std::string text;
  char buffer[65536];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) {
    text.append(buffer, n);
    if (text.size() > kMaxPromptBytes)
      fail(ErrorCode::kBadInput, "stdin: more than {} bytes", kMaxPromptBytes);
  }
  if (std::ferror(stdin) != 0) fail(ErrorCode::kIo, "stdin: {}", std::strerror(errno));
  return text;
}

std::string prompt_text(const Arguments& a) {
  if (a.prompt && a.prompt_option)
    fail(ErrorCode::kUsage, "the prompt is given twice: as an argument and with --prompt");
  const std::optional<std::string>& given = a.prompt_option ? a.prompt_option : a.prompt;
  const bool from_stdin = given ? *given == "-" : isatty(STDIN_FILENO) == 0;
  const std::string text = from_stdin ? read_stdin() : given.value_or("");
  if (text.empty())
    fail(ErrorCode::kUsage,
         "no prompt, or an empty one: give it as an argument, with --prompt, or on stdin with '-'");
  if (const auto bad = first_invalid_utf8(text)) {
    fail(ErrorCode::kBadInput, "{}: invalid UTF-8 at byte {}", from_stdin ? "stdin" : "prompt", *bad);
  }
  return text;
}

nlohmann::json timings_json(const Timings& t, const Runner& runner) {
  // Null where nothing was drawn, or nothing after the first token: there is no rate to tell.
  nlohmann::json ttft, prefill, decode;
  if (t.drawn > 0) {
    ttft = t.to_first_token * 1e3;
    prefill = static_cast<double>(t.prompt_tokens) / t.to_first_token;
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

void print_timings(const Timings& t, const Runner& runner) {
  const nlohmann::json j = timings_json(t, runner);
  const auto rate = [&](const char* key) {
    return j[key].is_null() ? std::string() : fmt::format(", {:.1f} tok/s", j[key].get<double>());
  };
  const auto mb = [&](const char* key) { return j[key].get<double>() / 1e6; };
  fmt::print(stderr, "\nload {:.0f} ms", j["load_ms"].get<double>());
  if (t.drawn > 0) fmt::print(stderr, " | first token after {:.0f} ms", j["ttft_ms"].get<double>());
  fmt::print(stderr, " | prompt {} tokens{} | generation {} tokens{}\n", t.prompt_tokens,
             rate("prompt_tok_s"), t.drawn, rate("generation_tok_s"));
  fmt::print(stderr, "memory: learned {:.1f} MB, KV cache {:.1f} MB, scratch {:.1f} MB, peak {:.1f} MB\n",
             mb("learned_bytes"), mb("kv_bytes"), mb("scratch_bytes"), mb("peak_resident_bytes"));
}

// Data goes out whole or the command fails: a full disk must not look like success.
void write_out(std::string_view text) {
  const bool whole =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!whole) fail(ErrorCode::kIo, "cannot write the answer to stdout: {}", std::strerror(errno));
}

nlohmann::json answer_json(const Arguments& a, const Engine::Admitted& admitted, const Event& last,
                           const std::string& text, const std::vector<TokenId>& ids,
                           const std::vector<double>& logprobs) {
  nlohmann::json knobs = nlohmann::json::object();
  for (const Knob* k : a.known) {
    if (a.knobs.is_set(k->name)) knobs[std::string(k->name)] = std::string(a.knobs.source(k->name));
  }
  return {{"text", text},
          {"ids", ids},
          {"logprobs", logprobs},
          {"finish_reason", name(*last.finish)},
          {"stop", last.stop},
          {"seed", admitted.seed},
          {"notices", admitted.notices},
          {"settings_from", knobs},
          {"usage",
           {{"prompt_tokens", last.usage.prompt_tokens},
            {"completion_tokens", last.usage.completion_tokens},
            {"passes", last.usage.passes}}},
          {"context",
           {{"window", last.context.window},
            {"prompt_kept", last.context.prompt_kept},
            {"prompt_dropped", last.context.prompt_dropped},
            {"prompt_cached", last.context.prompt_cached},
            {"left", last.context.left}}}};
}

int generate(const Arguments& a, Session& session, const std::string& prompt) {
  const Model& model = session.model();
  Engine engine(session.runner(), {});
  const auto start = std::chrono::steady_clock::now();
  Request request{
      model.tokenizer().encode_prompt(prompt, a.special ? text::Special::kParse : text::Special::kText),
      a.knobs, a.json};
  const Engine::Admitted admitted = engine.add(std::move(request));
  for (const std::string& notice : admitted.notices) fmt::print(stderr, "note: {}\n", notice);

  Timings t;
  t.load = session.load_seconds();
  std::string text;
  std::vector<TokenId> ids;
  std::vector<double> logprobs;
  Event last;
  auto first_token_at = start;
  const InterruptGuard interrupt;
  while (engine.step([&](const Event& event) {
    if (event.token) {
      if (ids.empty()) {
        t.to_first_token = seconds_since(start);
        first_token_at = std::chrono::steady_clock::now();
      }
      ids.push_back(*event.token);
      logprobs.push_back(event.logprob);
    }
    text += event.text;
    if (!a.json && !event.text.empty()) write_out(event.text);
    last = event;
  })) {
    if (interrupt.interrupted()) engine.cancel(admitted.id);
  }
  t.generation = seconds_since(first_token_at);
  t.prompt_tokens = last.usage.prompt_tokens;
  t.drawn = last.usage.completion_tokens;

  if (a.json) {
    nlohmann::json out = answer_json(a, admitted, last, text, ids, logprobs);
    out["timings"] = timings_json(t, session.runner());
    write_out(out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  } else {
    write_out("\n");
    if (!a.model.quiet) print_timings(t, session.runner());
  }
  if (last.finish == FinishReason::kError) fail(last.error_code, "{}", last.error);
  return last.finish == FinishReason::kCancelled ? interrupt.exit_status() : 0;
}

// The settings of the request's file. One that is also a flag is a contradiction, not a matter of who comes
// last.
void apply_request(Arguments& a) {
  Knobs request{a.known};
  const std::string text = read_text(a.request_file, 1 << 20);
  try {
    request.set_from_json(text, "request");
  } catch (const Error& e) {
    fail(e.code(), "{}: {}", a.request_file, e.what());
  }
  for (const Knob* k : a.known) {
    if (!request.is_set(k->name)) continue;
    if (a.knobs.is_set(k->name)) {
      fail(ErrorCode::kUsage, "{} is set twice: by {} and in {}", k->name, flag_name(k->name),
           a.request_file);
    }
    a.knobs.set(k->name, request.value_of(k->name), "request");
  }
}

int run(Arguments& a) {
  if (!a.raw) {
    fail(ErrorCode::kUsage,
         "this version feeds the prompt as it is, without a chat template: say so with --raw");
  }
  const std::string prompt = prompt_text(a);
  Session session(a.model);
  const std::string profile = apply_profile(session.resolved(), a.knobs);
  if (!profile.empty() && !a.model.quiet) fmt::print(stderr, "settings: {}\n", profile);
  return generate(a, session, prompt);
}

}  // namespace

const Command& command() {
  static const Command c{"run", "Continue a prompt with a model", [](CLI::App& app) -> std::function<int()> {
                           auto a = std::make_shared<Arguments>();
                           add_model_arguments(app, a->model);
                           app.add_option("prompt", a->prompt, "The prompt; '-' reads it from stdin");
                           app.add_option("--prompt,-p", a->prompt_option,
                                          "The prompt, where it could be taken for something else");
                           app.add_flag("--raw", a->raw, "Feed the prompt as it is, without a chat template");
                           app.add_flag("--special", a->special,
                                        "Special tokens written in the prompt count as such");
                           app.add_flag("--json", a->json, "Print one JSON object instead of streaming text");
                           app.add_option("--request", a->request_file,
                                          "A JSON object of settings (fields as in docs/reference/knobs.md)");
                           add_knob_options(app, a->known, a->knobs);
                           return [a] {
                             if (!a->request_file.empty()) apply_request(*a);
                             return run(*a);
                           };
                         }};
  return c;
}

}  // namespace kelda::cli::run
