#include "apps/kelda/asking.h"

#include <unistd.h>

#include "apps/kelda/chat/template_option.h"
#include "apps/kelda/knob_options.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/terminal/standard_input.h"
#include "base/error.h"
#include "base/naming.h"
#include "base/utf8.h"
#include "chat/chat_template.h"

namespace kelda::cli {
namespace {

constexpr uint64_t kMaxPromptBytes = 64 << 20;

std::string prompt_text(const Asking& a) {
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

// The settings of the request's file. One that is also a flag is a contradiction, not a matter of who comes
// last.
void apply_request(Asking& a) {
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

void check_exclusive(const Asking& a) {
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
}

}  // namespace

void add_asking_options(CLI::App& app, Asking& asking) {
  add_model_arguments(app, asking.model);
  app.add_option("prompt", asking.prompt, "The prompt; '-' reads it from stdin");
  app.add_option("--prompt,-p", asking.prompt_option,
                 "The prompt, where it could be taken for something else");
  app.add_flag("--raw", asking.raw, "Feed the prompt as it is, without a chat template");
  app.add_flag("--special", asking.special, "With --raw: special tokens written in the prompt count as such");
  app.add_option("--system", asking.system, "A system message in front of the prompt");
  add_chat_template_option(app, asking.chat_template);
  refuse_empty(*app.add_option("--request", asking.request_file,
                               "A file with a JSON object of settings (fields as in docs/reference/knobs.md)")
                    ->type_name("FILE"));
  add_knob_options(app, asking.known, asking.knobs);
}

std::string settle(Asking& asking) {
  if (asking.request_file) apply_request(asking);
  check_exclusive(asking);
  return prompt_text(asking);
}

context::Given given_prompt(const Asking& asking, const Model& model, const std::string& prompt) {
  context::Given given;
  if (asking.raw) {
    given.raw = prompt;
    given.special = asking.special ? text::Special::kParse : text::Special::kText;
    return given;
  }
  std::vector<chat::Message> messages;
  if (!asking.system.empty()) messages.push_back({"system", asking.system});
  messages.push_back({"user", prompt});
  given.conversation = chat::conversation_of(messages);
  given.chat_template = choose_template(asking.chat_template, model);
  given.now = chat::local_now();
  if (!asking.model.quiet) tell_findings(*given.chat_template);
  return given;
}

}  // namespace kelda::cli
