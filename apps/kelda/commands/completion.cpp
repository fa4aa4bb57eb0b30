// kelda completion: a script that completes commands, flags and model names in a shell, made from the
// commands themselves.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "apps/kelda/command.h"
#include "apps/kelda/option_values.h"
#include "base/error.h"
#include "hub/catalog.h"

namespace kelda::cli::completion {
namespace {

using Words = std::vector<std::string>;

struct Flag {
  std::string name;  // "--top-k"
  std::string help;
  Words spellings;  // "--threads", "-t"
  bool takes_value = false;
  Words values;  // that are offered for it
};

struct Entry {
  std::string name, help;
  std::vector<Flag> flags;
  Words words;  // that are offered where no flag is
};

// Text for a single-quoted shell word.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string("'\\''") : c == '\n' ? std::string(" ") : std::string(1, c);
  return out + "'";
}

Words model_names() {
  const auto names = hub::catalog().names();
  return {names.begin(), names.end()};
}

Words values_of(const CLI::Option& option) {
  return names_models(option) ? model_names() : allowed_words(option);
}

void add_options(const CLI::App& app, Entry& entry) {
  for (const CLI::Option* option : app.get_options({})) {
    Words spellings;
    for (const std::string& name : option->get_lnames()) spellings.push_back("--" + name);
    for (const std::string& name : option->get_snames()) spellings.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) {
      entry.flags.push_back({"--" + name, option->get_description(), spellings,
                             option->get_items_expected_max() > 0, values_of(*option)});
    }
    if (option->get_positional() && entry.words.empty()) entry.words = values_of(*option);
  }
}

// A flag that several subcommands have is offered once.
void add_flags_of(const CLI::App& sub, Entry& entry) {
  Entry own;
  add_options(sub, own);
  for (const Flag& flag : own.flags) {
    const bool known = std::any_of(entry.flags.begin(), entry.flags.end(),
                                   [&](const Flag& f) { return f.name == flag.name; });
    if (!known) entry.flags.push_back(flag);
  }
  entry.words.push_back(sub.get_name());
}

// Of a command with subcommands, theirs together: completion looks at the command's name only.
Entry entry_of(const CLI::App& app) {
  Entry entry{.name = app.get_name(), .help = app.get_description(), .flags = {}, .words = {}};
  add_options(app, entry);
  if (app.get_parent() == nullptr) return entry;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    add_flags_of(*sub, entry);
  return entry;
}

std::vector<Entry> entries_of(const CLI::App& root) {
  std::vector<Entry> entries;
  for (const CLI::App* sub : root.get_subcommands([](const CLI::App*) { return true; })) {
    entries.push_back(entry_of(*sub));
  }
  return entries;
}

template <typename Named>
Words names(const std::vector<Named>& all) {
  Words words;
  for (const Named& named : all) words.push_back(named.name);
  return words;
}

std::string joined(const Words& words) { return shell_quoted(fmt::format("{}", fmt::join(words, " "))); }

// The branches of a case over the word before the one that is completed: what is offered as a flag's value.
// assign: the shell's way to set that list.
template <typename Assign>
std::string value_branches(const Entry& entry, Assign assign) {
  std::string branches;
  for (const Flag& flag : entry.flags) {
    if (!flag.takes_value) continue;
    branches += fmt::format("        {}) {} ;;\n", fmt::join(flag.spellings, "|"), assign(flag.values));
  }
  return branches;
}

void print_bash(const Entry& root, const std::vector<Entry>& entries) {
  fmt::print(R"(# Completion of kelda for bash: source <(kelda completion bash)
_kelda() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} flags= words=
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  case ${{COMP_WORDS[1]}} in
)");
  const auto assign = [](const Words& words) { return "words=" + joined(words); };
  for (const Entry& entry : entries) {
    fmt::print("    {}) flags={} {}\n", entry.name, joined(names(entry.flags)), assign(entry.words));
    if (const std::string branches = value_branches(entry, assign); !branches.empty()) {
      fmt::print("      case $before in\n{}      esac\n", branches);
    }
    fmt::print("      ;;\n");
  }
  fmt::print(R"(  esac
  if [[ $COMP_CWORD -eq 1 ]]; then
    flags={}
    words={}
  fi
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  fi
}}
complete -o default -F _kelda kelda
)",
             joined(names(root.flags)), joined(names(entries)));
}

// The words of a zsh array, each quoted.
std::string zsh_array(const Words& words) {
  std::string text = "(";
  for (const std::string& word : words) text += " " + shell_quoted(word);
  return text + " )";
}

std::string zsh_flags(const Entry& entry) {
  Words described;
  for (const Flag& flag : entry.flags) described.push_back(flag.name + ":" + flag.help);
  return zsh_array(described);
}

void print_zsh(const Entry& root, const std::vector<Entry>& entries) {
  fmt::print(R"(#compdef kelda
# Completion of kelda for zsh: source <(kelda completion zsh)
_kelda() {{
  local -a flags names
  case ${{words[2]}} in
)");
  const auto assign = [](const Words& words) { return "names=" + zsh_array(words); };
  Words commands;
  for (const Entry& entry : entries) {
    fmt::print("    {}) flags={}; {}\n", entry.name, zsh_flags(entry), assign(entry.words));
    if (const std::string branches = value_branches(entry, assign); !branches.empty()) {
      fmt::print("      case ${{words[CURRENT - 1]}} in\n{}      esac\n", branches);
    }
    fmt::print("      ;;\n");
    commands.push_back(entry.name + ":" + entry.help);
  }
  fmt::print(R"(  esac
  (( CURRENT == 2 )) && {{ flags={}; names={}; }}
  if [[ $PREFIX == -* ]]; then
    _describe -o flag flags
  else
    _describe argument names || _files
  fi
}}
compdef _kelda kelda
)",
             zsh_flags(root), zsh_array(commands));
}

void print_fish(const Entry& root, const std::vector<Entry>& entries) {
  fmt::print("# Completion of kelda for fish: kelda completion fish | source\n");
  const auto print_flags = [](const Entry& entry, const std::string& condition) {
    for (const Flag& flag : entry.flags) {
      fmt::print("complete -c kelda -n {} -l {} -d {}{}{}\n", shell_quoted(condition), flag.name.substr(2),
                 shell_quoted(flag.help), flag.takes_value ? " -r" : "",
                 flag.values.empty() ? "" : " -f -a " + joined(flag.values));
    }
  };
  print_flags(root, "__fish_use_subcommand");
  for (const Entry& entry : entries) {
    fmt::print("complete -c kelda -f -n '__fish_use_subcommand' -a {} -d {}\n", entry.name,
               shell_quoted(entry.help));
    const std::string condition = "__fish_seen_subcommand_from " + entry.name;
    print_flags(entry, condition);
    if (!entry.words.empty()) {
      fmt::print("complete -c kelda -n {} -a {}\n", shell_quoted(condition), joined(entry.words));
    }
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
  allow_words(*app.add_option("shell", *shell, "bash, zsh or fish")->required(), {"bash", "zsh", "fish"});
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
