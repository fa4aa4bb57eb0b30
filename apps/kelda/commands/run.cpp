// kelda run: a prompt in, text out, streamed.
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "apps/kelda/chat/template_option.h"
#include "apps/kelda/command.h"
#include "apps/kelda/generation.h"
#include "apps/kelda/knob_options.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/profile.h"
#include "apps/kelda/session.h"
#include "apps/kelda/settings.h"
#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/standard_input.h"
#include "apps/kelda/terminal/style.h"
#include "apps/kelda/token_json.h"
#include "base/error.h"
#include "base/naming.h"
#include "base/utf8.h"
#include "chat/chat_template.h"
#include "engine/engine.h"
#include "sampling/request_knobs.h"

namespace kelda::cli::run {
namespace {

constexpr uint64_t kMaxPromptBytes = 64 << 20;

struct Arguments {
  ModelArguments model;
  std::optional<std::string> prompt, prompt_option;
  std::optional<std::string> request_file;
  std::string system, chat_template;
  bool raw = false, json = false, special = false;
  std::span<const Knob* const> known = sampling::request_knobs();
  Knobs knobs{known};
};

std::string prompt_text(const Arguments& a) {
  if (a.prompt && a.prompt_option)
    fail(ErrorCode::kUsage, "the prompt is given twice: as an argument and with --prompt");
  const std::optional<std::string>& given = a.prompt_option ? a.prompt_option : a.prompt;
  const bool from_stdin = given ? *given == "-" : isatty(STDIN_FILENO) == 0;
  const std::string text = from_stdin ? read_stdin(kMaxPromptBytes) : given.value_or("");
  if (text.empty())
    fail(ErrorCode::kUsage,
         "no prompt, or an empty one: give it as an argument, with --prompt, or on stdin with '-'");
  if (const auto bad = first_invalid_utf8(text)) {
    fail(ErrorCode::kBadInput, "{}: invalid UTF-8 at byte {}", from_stdin ? "stdin" : "prompt", *bad);
  }
  return text;
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
      {"usage",
       {{"prompt_tokens", last.usage.prompt_tokens},
        {"completion_tokens", last.usage.completion_tokens},
        {"passes", last.usage.passes},
        {"prefill_passes", last.usage.prefill_passes},
        {"decode_passes", last.usage.passes - last.usage.prefill_passes}}},
      {"context",
       {{"window", last.context.window},
        {"prompt_kept", last.context.prompt_kept},
        {"prompt_dropped", last.context.prompt_dropped},
        {"prompt_cached", last.context.prompt_cached},
        {"left", last.context.left}}}};
}

// The prompt's ids; `chat_template` is set to the name of the one that was used.
std::vector<TokenId> prompt_ids(const Arguments& a, const Model& model, const std::string& prompt,
                                std::string& chat_template) {
  if (a.raw)
    return model.tokenizer()
        .encode_prompt(prompt, a.special ? text::Special::kParse : text::Special::kText)
        .ids;
  std::vector<chat::Message> messages;
  if (!a.system.empty()) messages.push_back({"system", a.system});
  messages.push_back({"user", prompt});
  const auto t = choose_template(a.chat_template, model);
  if (!a.model.quiet) tell_findings(*t);
  chat_template = t->name();
  return chat::encode(model.tokenizer(), t->render(chat::conversation_of(messages), chat::local_now()));
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

int generate(const Arguments& a, Session& session, const std::string& prompt) {
  Engine engine(session.runner(), {});
  std::string chat_template;
  Request request{prompt_ids(a, session.model(), prompt, chat_template), a.knobs};
  const TokenId first = request.prompt.empty() ? -1 : request.prompt.front();
  const InterruptGuard interrupt;
  Answer answer = cli::generate(
      engine, std::move(request), interrupt,
      [&](std::string_view text) {
        if (!a.json) write_out(text);
      },
      [](const Engine::Admitted& admitted) {
        for (const std::string& notice : admitted.notices) say("note: {}\n", notice);
      });
  answer.timings.load = session.load_seconds();

  if (a.json) {
    nlohmann::json out = answer_json(a, answer, chat_template);
    out.update(logprobs_json(a, answer, session.model().tokenizer(), first));
    out["timings"] = timings_json(answer.timings, session.runner());
    write_out(out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  } else {
    write_out("\n");
  }
  for (const std::string& notice : answer.last.notices) say("note: {}\n", notice);
  if (!a.json && !a.model.quiet) {
    // Without a seed and at a temperature, the answer is one of many: this is how to have it again.
    const bool by_chance = !a.knobs.seed("seed").value && a.knobs.number("temperature") > 0;
    say("\n{}{}{}{}", cut_text(answer), timings_text(answer.timings, session.runner()),
        passes_text(answer.last.usage),
        by_chance ? fmt::format("seed: {} (--seed gives this answer again)\n", answer.admitted.seed) : "");
  }
  const Event& last = answer.last;
  if (last.finish == FinishReason::kError) fail(last.error_code, "{}", last.error);
  return last.finish == FinishReason::kCancelled ? interrupt.exit_status() : 0;
}

// The settings of the request's file. One that is also a flag is a contradiction, not a matter of who comes
// last.
void apply_request(Arguments& a) {
  Knobs request{a.known};
  const std::string& file = *a.request_file;
  const std::string text = read_text(file, 1 << 20);
  naming(file, [&] { request.set_from_json(text, "request"); });
  for (const Knob* k : a.known) {
    if (!request.is_set(k->name)) continue;
    if (a.knobs.is_set(k->name)) {
      fail(ErrorCode::kUsage, "{} is set twice: by {} and in {}", k->name, flag_name(k->name), file);
    }
    a.knobs.set(k->name, request.value_of(k->name), "request");
  }
}

int run(Arguments& a) {
  for (const std::string_view name : {"logprobs", "prompt_logprobs"}) {
    if (!a.json && a.knobs.integer(name) >= 0)
      fail(ErrorCode::kUsage, "{} goes with --json: streamed text has no place for numbers", flag_name(name));
  }
  if (a.special && !a.raw) {
    fail(ErrorCode::kUsage,
         "--special goes with --raw: where a chat template writes the special tokens, a message is plain "
         "text");
  }
  if (a.raw && !a.system.empty())
    fail(ErrorCode::kUsage, "--system goes with a chat template, not with --raw");
  if (a.raw && !a.chat_template.empty())
    fail(ErrorCode::kUsage, "--raw is without a chat template, and --chat-template names one");
  require_utf8(a.system, "--system");
  const std::string prompt = prompt_text(a);
  Session session(a.model);
  const std::string profile = apply_profile(session.resolved(), session.model().recommended(), a.knobs);
  if (!profile.empty() && !a.model.quiet) say("settings: {}\n", profile);
  return generate(a, session, prompt);
}

}  // namespace

const Command& command() {
  static const Command c{
      "run", "Answer a prompt with a model", [](CLI::App& app) -> std::function<int()> {
        auto a = std::make_shared<Arguments>();
        add_model_arguments(app, a->model);
        app.add_option("prompt", a->prompt, "The prompt; '-' reads it from stdin");
        app.add_option("--prompt,-p", a->prompt_option,
                       "The prompt, where it could be taken for something else");
        app.add_flag("--raw", a->raw, "Feed the prompt as it is, without a chat template");
        app.add_flag("--special", a->special,
                     "With --raw: special tokens written in the prompt count as such");
        app.add_option("--system", a->system, "A system message in front of the prompt");
        add_chat_template_option(app, a->chat_template);
        app.add_flag("--json", a->json, "Print one JSON object instead of streaming text");
        refuse_empty(
            *app.add_option("--request", a->request_file,
                            "A file with a JSON object of settings (fields as in docs/reference/knobs.md)")
                 ->type_name("FILE"));
        add_knob_options(app, a->known, a->knobs);
        return [a] {
          if (a->request_file) apply_request(*a);
          return run(*a);
        };
      }};
  return c;
}

}  // namespace kelda::cli::run
