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
#include "sampling/request_knobs.h"

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
  Words words;                    // that are offered where no flag is
  std::vector<Entry> pages = {};  // subcommands, as of calc
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

// The texts that a setting may have, where there are only so many; of a list each of them.
Words choices_of(const CLI::Option& option) {
  for (const Knob* knob : sampling::request_knobs()) {
    if (knob->choices == nullptr || !option.check_lname(flag_name(knob->name).substr(2))) continue;
    const auto choices = knob->choices();
    return {choices.begin(), choices.end()};
  }
  return {};
}

Words values_of(const CLI::Option& option) {
  if (names_models(option)) return model_names();
  const Words words = allowed_words(option);
  return words.empty() ? choices_of(option) : words;
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

// Of a command: its own flags, and in front of a subcommand the names of those.
Entry entry_of(const CLI::App& app) {
  Entry entry{.name = app.get_name(), .help = app.get_description(), .flags = {}, .words = {}};
  add_options(app, entry);
  if (app.get_parent() == nullptr) return entry;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    entry.pages.push_back(entry_of(*sub));
    entry.words.push_back(sub->get_name());
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

// What is offered behind a command: by the word before, and behind its pages' names what those have.
void print_bash_branch(const Entry& entry, const std::string& indent) {
  const auto assign = [](const Words& words) { return "words=" + joined(words); };
  fmt::print("{}{}) flags={} {}\n", indent, entry.name, joined(names(entry.flags)), assign(entry.words));
  if (const std::string branches = value_branches(entry, assign); !branches.empty())
    fmt::print("{0}  case $before in\n{1}{0}  esac\n", indent, branches);
  if (!entry.pages.empty()) {
    fmt::print("{0}  [[ $COMP_CWORD -gt 2 ]] && case ${{COMP_WORDS[2]}} in\n", indent);
    for (const Entry& page : entry.pages) print_bash_branch(page, indent + "  ");
    fmt::print("{}  esac\n", indent);
  }
  fmt::print("{}  ;;\n", indent);
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
  for (const Entry& entry : entries) print_bash_branch(entry, "    ");
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

void print_zsh_branch(const Entry& entry, const std::string& indent) {
  const auto assign = [](const Words& words) { return "names=" + zsh_array(words); };
  fmt::print("{}{}) flags={}; {}\n", indent, entry.name, zsh_flags(entry), assign(entry.words));
  if (const std::string branches = value_branches(entry, assign); !branches.empty())
    fmt::print("{0}  case ${{words[CURRENT - 1]}} in\n{1}{0}  esac\n", indent, branches);
  if (!entry.pages.empty()) {
    fmt::print("{0}  (( CURRENT > 3 )) && case ${{words[3]}} in\n", indent);
    for (const Entry& page : entry.pages) print_zsh_branch(page, indent + "  ");
    fmt::print("{}  esac\n", indent);
  }
  fmt::print("{}  ;;\n", indent);
}

void print_zsh(const Entry& root, const std::vector<Entry>& entries) {
  fmt::print(R"(#compdef kelda
# Completion of kelda for zsh: source <(kelda completion zsh)
_kelda() {{
  local -a flags names
  case ${{words[2]}} in
)");
  Words commands;
  for (const Entry& entry : entries) {
    print_zsh_branch(entry, "    ");
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
    for (const Entry& page : entry.pages)
      print_flags(page, condition + "; and __fish_seen_subcommand_from " + page.name);
    if (entry.words.empty()) continue;
    const std::string before_pages =
        entry.pages.empty()
            ? ""
            : fmt::format("; and not __fish_seen_subcommand_from {}", fmt::join(entry.words, " "));
    fmt::print("complete -c kelda -n {} -a {}\n", shell_quoted(condition + before_pages),
               joined(entry.words));
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
