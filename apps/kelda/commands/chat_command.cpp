// kelda chat: a conversation at the terminal.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "apps/kelda/chat/conversation_session.h"
#include "apps/kelda/chat/line_editor.h"
#include "apps/kelda/chat/slash_commands.h"
#include "apps/kelda/chat/template_option.h"
#include "apps/kelda/command.h"
#include "apps/kelda/knob_options.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/profile.h"
#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/style.h"
#include "base/error.h"
#include "sampling/request_knobs.h"

namespace kelda::cli::chat_command {
namespace {

struct Arguments {
  ModelArguments model;
  std::string system, chat_template, load;
  bool no_history = false;
  std::span<const Knob* const> known = sampling::request_knobs();
  Knobs knobs{known};
};

constexpr std::string_view kQuotes = "\"\"\"";
constexpr int kInterruptedStatus = 130, kHungUpStatus = 129;

struct Entry {
  std::string text = {};
  bool quoted = false;            // a message, whatever it begins with
  std::optional<int> leave = {};  // the input has ended: with which status
};

// An entry of one or several lines. What a Ctrl-C interrupts is given up.
Entry read_entry(LineEditor& editor, bool interactive) {
  const std::string prompt = interactive ? "> " : "", more = interactive ? "… " : "";
  std::string entry;
  bool quoted = false, going_on = false;
  for (;;) {
    LineEditor::Line line = editor.read(going_on ? more : prompt);
    if (line.outcome == LineEditor::Outcome::kEnd && going_on && line.exit_status == 0)
      return {.text = entry, .quoted = quoted};
    if (line.outcome == LineEditor::Outcome::kEnd) return {.leave = line.exit_status};
    if (line.outcome == LineEditor::Outcome::kInterrupted) {
      if (interactive) fmt::print("\n");
      return interactive ? Entry{} : Entry{.leave = kInterruptedStatus};
    }
    if (line.damaged) {
      say("kelda: what came was not UTF-8 throughout, so it is not sent; is the terminal set to UTF-8?\n");
      return {};
    }
    std::string text = std::move(line.text);
    // Several lines at once were pasted, or come from the history: they are what they are.
    if (!going_on && text.find('\n') != std::string::npos) return {.text = text, .quoted = true};
    if (!going_on && text.starts_with(kQuotes)) {
      quoted = true;
      text.erase(0, kQuotes.size());
      if (text.empty()) {
        going_on = true;
        continue;
      }
    }
    if (quoted) {
      const bool last = text.ends_with(kQuotes);
      if (last) text.erase(text.size() - kQuotes.size());
      entry += text;
      if (last) return {.text = entry, .quoted = true};
      entry += '\n';
    } else if (text.ends_with('\\')) {
      text.pop_back();
      entry += text + '\n';
    } else {
      return {.text = entry + text};
    }
    going_on = true;
  }
}

int converse(ConversationSession& session, LineEditor& editor, bool interactive) {
  for (;;) {
    const auto [text, quoted, leave] = read_entry(editor, interactive);
    if (leave) {
      if (interactive && *leave != kHungUpStatus) fmt::print("\n");
      return *leave;
    }
    if (text.find_first_not_of(" \t\n") == std::string::npos) continue;
    const bool is_one_line = text.find('\n') == std::string::npos;  // else it is a message in any case
    editor.remember(quoted && is_one_line ? fmt::format("{0}{1}{0}", kQuotes, text) : text);
    try {
      require_utf8(text, "the message");
      if (!quoted && text.front() == '/') {
        if (run_slash_command(session, text) == Next::kLeave) return 0;
        continue;
      }
      const int stopped = session.ask(text);
      // On a terminal, a Ctrl-C stops the answer alone.
      if (stopped != 0 && !(interactive && stopped == kInterruptedStatus)) return stopped;
    } catch (const Error& e) {
      if (!interactive) throw;  // a script must notice
      say("kelda: {}\n", e.what());
      if (e.code() == ErrorCode::kContextLength)
        say("kelda: /reset starts anew, /save FILE keeps what was said, /set context_policy truncate or "
            "summarize "
            "lets the oldest turns go\n");
    }
  }
}

int run(Arguments& a) {
  require_utf8(a.system, "--system");
  Session session(a.model);
  const std::string profile = apply_profile(session.resolved(), session.model().recommended(), a.knobs);
  const auto chat_template = choose_template(a.chat_template, session.model());
  if (!a.model.quiet) {
    if (!profile.empty()) say("settings: {}\n", profile);
    tell_findings(*chat_template);
  }
  const bool interactive = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  if (interactive && !a.model.quiet)
    say("{}\n", paint(Stream::kErr, Color::kDim, "/help lists the commands, Ctrl-D leaves"));
  ConversationSession conversation(session, chat_template, a.knobs, a.system, a.model.quiet);
  if (!a.load.empty()) conversation.load(a.load);
  LineEditor editor(interactive, a.no_history ? std::filesystem::path() : chat_history_path());
  return converse(conversation, editor, interactive);
}

}  // namespace

const Command& command() {
  static const Command c{
      "chat", "Talk with a model", [](CLI::App& app) -> std::function<int()> {
        auto a = std::make_shared<Arguments>();
        add_model_arguments(app, a->model);
        auto* system = app.add_option("--system", a->system, "A system message in front of the conversation");
        auto* load = app.add_option("--load", a->load, "Go on with a conversation that /save wrote")
                         ->type_name("FILE");
        refuse_empty(*load);
        load->excludes(system);  // the file has its own
        add_chat_template_option(app, a->chat_template);
        app.add_flag("--no-history", a->no_history, "Neither read nor write the history of what was typed");
        add_knob_options(app, a->known, a->knobs);
        return [a] { return run(*a); };
      }};
  return c;
}

}  // namespace kelda::cli::chat_command
