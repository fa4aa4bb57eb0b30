// kelda run: a prompt in, text out, streamed.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/kelda/asking.h"
#include "apps/kelda/command.h"
#include "apps/kelda/explain/bars.h"
#include "apps/kelda/fitting.h"
#include "apps/kelda/generation.h"
#include "apps/kelda/profile.h"
#include "apps/kelda/session.h"
#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/style.h"
#include "apps/kelda/token_json.h"
#include "apps/kelda/trace_file.h"
#include "base/error.h"
#include "config/knob_json.h"
#include "engine/engine.h"
#include "sampling/request_knobs.h"

namespace kelda::cli::run {
namespace {

struct Arguments : Asking {
  Arguments() : Asking(sampling::request_knobs()) {}
  bool json = false, show_distribution = false;
  std::string trace;
};

// How many candidates the engine has to report of each draw.
int64_t candidates_wanted(const Arguments& a, const Model& model) {
  const int64_t pictured = a.show_distribution ? std::min(kPictured, model.config().vocab_size) : -1;
  return std::max(pictured, trace_candidates(a.trace, model));
}

// Of each token of the answer, and of the prompt; null where not asked for.
nlohmann::json logprobs_json(const Arguments& a, const Answer& answer, const text::Tokenizer& tokenizer,
                             TokenId first) {
  nlohmann::json out = {{"logprobs", nullptr}, {"prompt_logprobs", nullptr}};
  if (a.knobs.integer("logprobs") >= 0) {
    out["logprobs"] = nlohmann::json::array();
    for (const TokenReport& report : answer.logprobs)
      out["logprobs"].push_back(report_json(tokenizer, report));
  }
  if (a.knobs.integer("prompt_logprobs") >= 0)
    out["prompt_logprobs"] = prompt_json(tokenizer, first, answer.prompt_logprobs);
  return out;
}

nlohmann::json answer_json(const Arguments& a, const Answer& answer, const std::string& chat_template) {
  const Event& last = answer.last;
  std::vector<std::string> notices = answer.admitted.notices;
  notices.insert(notices.end(), last.notices.begin(), last.notices.end());
  return {
      {"text", answer.text},
      {"ids", answer.ids},
      {"finish_reason", name(*last.finish)},
      {"finish_detail", last.rule == StopRule::kNone ? nlohmann::json() : nlohmann::json(name(last.rule))},
      {"stop", last.stop},
      {"seed", answer.admitted.seed},
      {"notices", notices},
      {"settings", settings_json(a.knobs)},
      {"error", last.error.empty() ? nlohmann::json() : nlohmann::json(last.error)},
      {"chat_template", chat_template.empty() ? nlohmann::json() : nlohmann::json(chat_template)},
      {"usage", usage_json(last.usage)},
      {"context", context_json(last.context)}};
}

// What cut the answer, for who reads it as it streams; empty where nothing did.
std::string cut_text(const Answer& answer) {
  const StopRule rule = answer.last.rule;
  const std::string_view by = rule == StopRule::kMaxTokens   ? "--max-tokens"
                              : rule == StopRule::kTimeLimit ? "--time-limit"
                              : rule == StopRule::kWindow    ? "the end of the window"
                                                             : "";
  if (by.empty() || answer.admitted.max_tokens == 0) return {};
  return fmt::format("cut at {} by {}\n", counted(static_cast<int64_t>(answer.ids.size()), "token"), by);
}

// What it took to make the prompt fit; empty where it took nothing.
std::string before_text(const context::Fitted& fitted) {
  if (fitted.n_runs == 0) return {};
  return fmt::format("before the answer: {}, {} read, {} written\n", counted(fitted.n_runs, "run"),
                     counted(fitted.usage.prompt_tokens, "token"), fitted.usage.completion_tokens);
}

int generate(const Arguments& a, Session& session, const std::string& prompt) {
  Engine engine(session.runner(), {});
  const context::Given given = given_prompt(a, session.model(), prompt);
  const InterruptGuard interrupt;
  const auto fitted = fit_only_prompt(engine, session.model(), given, a.knobs, interrupt, a.model.quiet);
  if (!fitted) return interrupt.exit_status();
  const TokenId first = fitted->prompt.empty() ? -1 : fitted->prompt.front();
  // split excludes streaming; beside a picture of each token, text would come in pieces between them.
  const bool at_once = a.show_distribution || a.knobs.text("context_policy") == "split";
  Answer answer = cli::generate(
      engine, {fitted->prompt, a.knobs, candidates_wanted(a, session.model())}, interrupt,
      [&](std::string_view text) {
        if (!a.json && !at_once) write_out(text);
      },
      [](const Engine::Admitted& admitted) {
        for (const std::string& notice : admitted.notices) say("note: {}\n", notice);
      },
      [&](const DrawReport& report) {
        if (a.show_distribution) say("{}", distribution_line(session.model().tokenizer(), report.record));
      });
  answer.timings.load = session.load_seconds();
  const Usage usage_of_answer = answer.last.usage;
  context::add_to_report(*fitted, answer.last);
  answer.admitted.notices.insert(answer.admitted.notices.begin(), fitted->notices.begin(),
                                 fitted->notices.end());

  if (a.json) {
    nlohmann::json out = answer_json(a, answer, given.is_raw() ? "" : given.chat_template->name());
    out.update(logprobs_json(a, answer, session.model().tokenizer(), first));
    out["timings"] = timings_json(answer.timings, session.runner());
    write_out(out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  } else {
    write_out(at_once ? answer.text + "\n" : "\n");
  }
  write_trace(a.trace, a, session, fitted->prompt, answer);  // a full disk does not take the answer with it
  for (const std::string& notice : answer.last.notices) say("note: {}\n", notice);
  if (!a.json && !a.model.quiet) {
    // Without a seed and at a temperature, the answer is one of many: this is how to have it again.
    const bool by_chance = !a.knobs.seed("seed").value && a.knobs.number("temperature") > 0;
    say("\n{}{}{}{}{}", cut_text(answer), timings_text(answer.timings, session.runner()),
        passes_text(usage_of_answer), before_text(*fitted),
        by_chance ? fmt::format("seed: {} (--seed gives this answer again)\n", answer.admitted.seed) : "");
  }
  const Event& last = answer.last;
  if (last.finish == FinishReason::kError) fail(last.error_code, "{}", last.error);
  return last.finish == FinishReason::kCancelled ? interrupt.exit_status() : 0;
}

int run(Arguments& a) {
  for (const std::string_view name : {"logprobs", "prompt_logprobs"}) {
    if (!a.json && a.knobs.integer(name) >= 0)
      fail(ErrorCode::kUsage, "{} goes with --json: streamed text has no place for numbers", flag_name(name));
  }
  if (a.json && a.show_distribution)
    fail(ErrorCode::kUsage, "--show-distribution is for people; kelda explain --json has the numbers");
  const std::string prompt = settle(a);
  check_output("--trace", a.trace, a);
  context::check_policy(a.knobs, /*streams=*/false);
  Session session(a.model);
  const std::string profile = apply_profile(session.resolved(), session.model().recommended(), a.knobs);
  if (!profile.empty() && !a.model.quiet) say("settings: {}\n", profile);
  return generate(a, session, prompt);
}

}  // namespace

const Command& command() {
  static const Command c{"run", "Answer a prompt with a model", [](CLI::App& app) -> std::function<int()> {
                           auto a = std::make_shared<Arguments>();
                           add_asking_options(app, *a);
                           app.add_flag("--json", a->json, "Print one JSON object instead of streaming text");
                           app.add_flag("--show-distribution", a->show_distribution,
                                        "Draw on stderr, for each token, how likely it and others were; the "
                                        "text follows at the end (kelda explain tells more)");
                           add_trace_option(app, a->trace);
                           return [a] { return run(*a); };
                         }};
  return c;
}

}  // namespace kelda::cli::run
