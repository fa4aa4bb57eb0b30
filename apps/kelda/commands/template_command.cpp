// kelda template: what a chat template makes of a conversation.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "apps/kelda/command.h"
#include "apps/kelda/generation.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/session.h"
#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/standard_input.h"
#include "base/error.h"
#include "base/file.h"
#include "base/naming.h"
#include "base/quote.h"
#include "chat/chat_template.h"
#include "chat/conversation.h"
#include "chat/left_out.h"
#include "engine/model_text.h"
#include "files/model_file.h"
#include "hub/resolve.h"
#include "text/tokenizer.h"

namespace kelda::cli::template_command {
namespace {

constexpr uint64_t kMaxConversationBytes = 64 << 20;

struct Arguments {
  std::string source, conversation;
  bool ids = false, show = false, check = false;
};

// The template, and where it came with a model, the tokenizer that goes with it.
struct Source {
  std::shared_ptr<const chat::ChatTemplate> chat_template;
  std::unique_ptr<const text::Tokenizer> tokenizer;
};

bool is_template_file(const std::string& name) {
  const auto extension = std::filesystem::path(name).extension();
  return extension == ".jinja" || extension == ".jinja2" || extension == ".j2";
}

Source open(const std::string& name) {
  if (is_template_file(name)) {
    return {std::make_shared<const chat::ChatTemplate>(read_text(name, chat::kMaxTemplateBytes), name,
                                                       jinja::Dict()),
            nullptr};
  }
  const std::filesystem::path path = hub::resolve(name).path;
  return naming(path, [&]() -> Source {
    ModelText text = is_folder(path) ? read_text_of_folder(path, 0) : read_text_of(*open_gguf(path));
    return {std::move(text.chat_template), std::move(text.tokenizer)};
  });
}

std::string read_conversation(const std::string& name) {
  if (name != "-") return read_text(name, kMaxConversationBytes);
  return read_stdin(kMaxConversationBytes);
}

int render(const Arguments& a, const Source& source) {
  const std::string text = read_conversation(a.conversation);
  const chat::ConversationFile file = naming(a.conversation == "-" ? "stdin" : a.conversation,
                                             [&] { return chat::parse_conversation_file(text); });
  const jinja::Rendered rendered =
      source.chat_template->render(file.conversation, file.now ? *file.now : chat::local_now(), file.tokens);
  if (source.chat_template->is_fallback()) say("note: {}\n", source.chat_template->name());
  for (const std::string& what : chat::left_out(file.conversation, rendered.text))
    say("note: {}\n", escape_controls(what));
  if (!a.ids) {
    write_out(rendered.text);
    return 0;
  }
  write_out(fmt::format("{}\n", fmt::join(chat::encode(*source.tokenizer, rendered), " ")));
  return 0;
}

int check(const chat::ChatTemplate& t) {
  fmt::print("{}\n", t.name());
  for (const std::string& finding : t.findings()) fmt::print("  {}\n", escape_controls(finding));
  if (t.findings().empty()) fmt::print("  nothing odd was found\n");
  return t.findings().empty() ? 0 : 1;
}

int run(const Arguments& a) {
  if (a.show + a.check + !a.conversation.empty() != 1)
    fail(ErrorCode::kUsage, "one of --conversation FILE, --show and --check is needed");
  const Source source = open(a.source);
  if (a.ids && source.tokenizer == nullptr)
    fail(ErrorCode::kUsage, "--ids needs a model: a template file has no vocabulary");
  if (a.ids && a.conversation.empty()) fail(ErrorCode::kUsage, "--ids goes with --conversation");
  if (a.check) return check(*source.chat_template);
  if (!a.show) return render(a, source);
  write_out(source.chat_template->source());
  return 0;
}

}  // namespace

const Command& command() {
  static const Command c{
      "template", "Show what a chat template makes of a conversation",
      [](CLI::App& app) -> std::function<int()> {
        auto a = std::make_shared<Arguments>();
        app.add_option("source", a->source,
                       "A template (*.jinja), or a model: path, catalogue name or hub:org/repo/file")
            ->required();
        refuse_empty(
            *app.add_option(
                    "--conversation,-c", a->conversation,
                    "A JSON object with messages and, where wanted, tools, documents, add_generation_prompt, "
                    "chat_template_kwargs, tokens, now; '-' reads it from stdin")
                 ->type_name("FILE"));
        app.add_flag("--ids", a->ids,
                     "Print the ids that the model gets, with BOS where the file asks for it");
        app.add_flag("--show", a->show, "Print the template itself");
        app.add_flag("--check", a->check,
                     "Say what is odd about the template (dropped roles, doubled BOS, no generation prompt); "
                     "status 1 if anything is");
        return [a] { return run(*a); };
      }};
  return c;
}

}  // namespace kelda::cli::template_command
