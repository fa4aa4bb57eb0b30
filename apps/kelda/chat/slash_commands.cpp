#include "apps/kelda/chat/slash_commands.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/style.h"
#include "base/did_you_mean.h"
#include "base/error.h"
#include "base/quote.h"
#include "base/trim.h"

namespace kelda::cli {
namespace {

constexpr std::string_view kBlanks = " \t";

// As a shell has it: "~/" is the home folder.
std::string path_argument(std::string_view arguments, std::string_view command) {
  if (arguments.empty()) fail(ErrorCode::kUsage, "{} needs the name of a file", command);
  const char* home = std::getenv("HOME");
  if (home != nullptr && arguments.starts_with("~/")) return home + std::string(arguments.substr(1));
  return std::string(arguments);
}

Next help(ConversationSession&, std::string_view) {
  for (const SlashCommand& c : slash_commands())
    say("  {:<22} {}\n", fmt::format("{} {}", c.name, c.arguments), c.help);
  say("A line that ends with a backslash goes on in the next; \"\"\" begins and ends a text of several "
      "lines.\n"
      "Ctrl-C stops an answer or gives up a line, Ctrl-D leaves.\n");
  return Next::kGoOn;
}

Next reset(ConversationSession& session, std::string_view) {
  session.reset();
  say("The conversation starts anew{}.\n", session.system().empty() ? "" : "; the system message stays");
  return Next::kGoOn;
}

Next system(ConversationSession& session, std::string_view text) {
  if (text == "none") {
    session.set_system("");
  } else if (!text.empty()) {
    session.set_system(std::string(text));
  }
  say("system: {}\n", session.system().empty() ? "(none)" : escape_controls(session.system()));
  return Next::kGoOn;
}

void show(const Knobs& knobs, const Knob& knob) {
  const std::string value =
      knobs.is_set(knob.name) ? value_text(knobs.value_of(knob.name)) : default_text(knob);
  say("  {:<20} {}  (from {})\n", knob.name, value, knobs.source(knob.name));
}

Next set(ConversationSession& session, std::string_view arguments) {
  Knobs& knobs = session.knobs();
  if (arguments.empty()) {
    for (const Knob* k : knobs.known())
      if (knobs.is_set(k->name)) show(knobs, *k);
    say("/set NAME shows any other, kelda docs knobs explains them.\n");
    return Next::kGoOn;
  }
  const std::size_t space = arguments.find_first_of(kBlanks);
  const std::string_view name = arguments.substr(0, space);
  const Knob& knob = knobs.find(name);
  if (space != std::string_view::npos)
    knobs.set_from_text(name, trimmed(arguments.substr(space), kBlanks), "chat");
  show(knobs, knob);
  if (space == std::string_view::npos) say("  {}\n", allowed_text(knob));
  return Next::kGoOn;
}

Next unset(ConversationSession& session, std::string_view name) {
  if (name.empty()) fail(ErrorCode::kUsage, "/unset needs the name of a setting");
  const Knobs& before = session.knobs_at_start();
  const Knob& knob = before.find(name);
  session.knobs().set(name, before.value_of(name), before.source(name));
  show(session.knobs(), knob);
  return Next::kGoOn;
}

Next stats(ConversationSession& session, std::string_view) {
  say("{}", session.stats());
  return Next::kGoOn;
}

Next save(ConversationSession& session, std::string_view arguments) {
  const std::string path = path_argument(arguments, "/save");
  session.save(path);
  say("Saved to {}.\n", path);
  return Next::kGoOn;
}

Next load(ConversationSession& session, std::string_view arguments) {
  const std::string path = path_argument(arguments, "/load");
  session.load(path);
  say("{} loaded from {}.\n", counted(static_cast<int64_t>(session.n_turns()), "message"), path);
  return Next::kGoOn;
}

Next leave(ConversationSession&, std::string_view) { return Next::kLeave; }

constexpr SlashCommand kCommands[] = {
    {"/help", "", "this list", help},
    {"/reset", "", "forget the conversation, keep the system message and the settings", reset},
    {"/system", "[TEXT|none]", "show, replace or remove the system message", system},
    {"/set", "[NAME [VALUE]]", "change a setting, as in: /set temperature 0.7; alone: those that are set",
     set},
    {"/unset", "NAME", "a setting as it was when the chat began", unset},
    {"/stats", "", "times, rates, memory and context of the latest answer", stats},
    {"/save", "FILE", "write the conversation as JSON", save},
    {"/load", "FILE", "go on with a saved conversation", load},
    {"/quit", "", "leave", leave},
};

}  // namespace

std::span<const SlashCommand> slash_commands() { return kCommands; }

Next run_slash_command(ConversationSession& session, std::string_view line) {
  const std::size_t space = line.find_first_of(kBlanks);
  const std::string_view name = line.substr(0, space);
  const std::string_view arguments =
      space == std::string_view::npos ? std::string_view() : trimmed(line.substr(space), kBlanks);
  std::vector<std::string_view> names;
  for (const SlashCommand& c : kCommands) {
    names.push_back(c.name);
    if (c.name != name) continue;
    if (c.arguments.empty() && !arguments.empty())
      fail(ErrorCode::kUsage, "{} takes nothing after it; got {}", name, quote(arguments));
    return c.run(session, arguments);
  }
  const std::string near = did_you_mean(name, names);
  fail(ErrorCode::kUsage, "no command {}; {}; a message that begins so goes between \"\"\" and \"\"\"",
       quote(name), near.empty() ? "/help lists them" : fmt::format("did you mean {}?", near));
}

}  // namespace kelda::cli
