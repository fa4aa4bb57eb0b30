// kelda completion: a script that completes commands, flags and model names in a shell, made from the
// commands themselves.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "apps/kelda/command.h"
#include "base/error.h"
#include "hub/catalog.h"

namespace kelda::cli::completion {
namespace {

struct Flag {
  std::string name;  // "--top-k"
  std::string help;
  bool takes_value = false;
};

struct Entry {
  std::string name, help;
  std::vector<Flag> flags;
  bool takes_model = false;
};

// Text for a single-quoted shell word.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string("'\\''") : c == '\n' ? std::string(" ") : std::string(1, c);
  return out + "'";
}

Entry entry_of(const CLI::App& app) {
  Entry entry{.name = app.get_name(), .help = app.get_description(), .flags = {}, .takes_model = false};
  for (const CLI::Option* option : app.get_options({})) {
    for (const std::string& name : option->get_lnames()) {
      entry.flags.push_back({"--" + name, option->get_description(), option->get_items_expected_max() > 0});
    }
    if (option->get_positional() && option->get_name(true) == "model") entry.takes_model = true;
  }
  return entry;
}

std::vector<Entry> entries_of(const CLI::App& root) {
  std::vector<Entry> entries;
  for (const CLI::App* sub : root.get_subcommands([](const CLI::App*) { return true; })) {
    entries.push_back(entry_of(*sub));
  }
  return entries;
}

std::vector<std::string> names(const std::vector<Flag>& flags) {
  std::vector<std::string> all;
  for (const Flag& flag : flags) all.push_back(flag.name);
  return all;
}

std::vector<std::string> names(const std::vector<Entry>& entries) {
  std::vector<std::string> all;
  for (const Entry& entry : entries) all.push_back(entry.name);
  return all;
}

void print_bash(const Entry& root, const std::vector<Entry>& entries) {
  fmt::print("# Completion of kelda for bash: source <(kelda completion bash)\n_kelda() {{\n");
  fmt::print("  local word=${{COMP_WORDS[COMP_CWORD]}} flags= words=\n  case ${{COMP_WORDS[1]}} in\n");
  for (const Entry& entry : entries) {
    fmt::print("    {}) flags={}", entry.name,
               shell_quoted(fmt::format("{}", fmt::join(names(entry.flags), " "))));
    if (entry.takes_model)
      fmt::print(" words={}", shell_quoted(fmt::format("{}", fmt::join(hub::catalog().names(), " "))));
    fmt::print(" ;;\n");
  }
  fmt::print("  esac\n  if [[ $COMP_CWORD -eq 1 ]]; then\n    flags={}\n    words={}\n  fi\n",
             shell_quoted(fmt::format("{}", fmt::join(names(root.flags), " "))),
             shell_quoted(fmt::format("{}", fmt::join(names(entries), " "))));
  fmt::print(
      "  if [[ $COMP_CWORD -gt 1 && ${{COMP_WORDS[COMP_CWORD - 1]}} == --model ]]; then\n    words={}\n  "
      "fi\n",
      shell_quoted(fmt::format("{}", fmt::join(hub::catalog().names(), " "))));
  fmt::print(
      "  if [[ $word == -* ]]; then\n    mapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$word\")\n"
      "  else\n    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n  fi\n}}\n"
      "complete -o default -F _kelda kelda\n");
}

void print_zsh(const Entry& root, const std::vector<Entry>& entries) {
  fmt::print("#compdef kelda\n# Completion of kelda for zsh: source <(kelda completion zsh)\n_kelda() {{\n");
  fmt::print("  local -a flags names\n  case ${{words[2]}} in\n");
  const auto arrays = [](const Entry& entry, const std::vector<std::string>& extra) {
    std::string text = "flags=(";
    for (const Flag& flag : entry.flags) text += " " + shell_quoted(flag.name + ":" + flag.help);
    text += " ); names=(";
    for (const std::string& word : extra) text += " " + shell_quoted(word);
    return text + " )";
  };
  const auto model_names = hub::catalog().names();
  for (const Entry& entry : entries) {
    const std::vector<std::string> models(model_names.begin(), model_names.end());
    fmt::print("    {}) {} ;;\n", entry.name,
               arrays(entry, entry.takes_model ? models : std::vector<std::string>{}));
  }
  std::vector<std::string> commands;
  for (const Entry& entry : entries) commands.push_back(entry.name + ":" + entry.help);
  fmt::print("  esac\n  (( CURRENT == 2 )) && {{ {}; }}\n", arrays(root, commands));
  fmt::print(
      "  if [[ $PREFIX == -* ]]; then\n    _describe -o flag flags\n"
      "  else\n    _describe argument names || _files\n  fi\n}}\ncompdef _kelda kelda\n");
}

void print_fish(const Entry& root, const std::vector<Entry>& entries) {
  fmt::print("# Completion of kelda for fish: kelda completion fish | source\n");
  const auto print_flags = [](const Entry& entry, const std::string& condition) {
    for (const Flag& flag : entry.flags) {
      fmt::print("complete -c kelda -n {} -l {} -d {}{}\n", shell_quoted(condition), flag.name.substr(2),
                 shell_quoted(flag.help), flag.takes_value ? " -r" : "");
    }
  };
  print_flags(root, "__fish_use_subcommand");
  for (const Entry& entry : entries) {
    fmt::print("complete -c kelda -f -n '__fish_use_subcommand' -a {} -d {}\n", entry.name,
               shell_quoted(entry.help));
    const std::string condition = "__fish_seen_subcommand_from " + entry.name;
    print_flags(entry, condition);
    if (!entry.takes_model) continue;
    fmt::print("complete -c kelda -n {} -a {}\n", shell_quoted(condition),
               shell_quoted(fmt::format("{}", fmt::join(hub::catalog().names(), " "))));
  }
}

int run(const CLI::App& app, const std::string& shell) {
  const CLI::App& root = *app.get_parent();
  const Entry top = entry_of(root);
  const std::vector<Entry> entries = entries_of(root);
  if (shell == "bash") print_bash(top, entries);
  if (shell == "zsh") print_zsh(top, entries);
  if (shell == "fish") print_fish(top, entries);
  return 0;
}

std::function<int()> setup(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  app.footer("For bash: source <(kelda completion bash)");
  return [shell, &app] { return run(app, *shell); };
}

}  // namespace

const Command& command() {
  static const Command c{
      .name = "completion", .summary = "Print a completion script for a shell", .setup = setup};
  return c;
}

}  // namespace kelda::cli::completion
