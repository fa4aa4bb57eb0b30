#include "apps/kelda/terminal/usage.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "apps/kelda/terminal/say.h"
#include "base/did_you_mean.h"

namespace kelda::cli {
namespace {

// The subcommand that was being parsed, at any depth; the app itself if none.
const CLI::App& innermost(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands()) return innermost(*sub);
  return app;
}

// Everything that could stand where `word` stands: flags for a flag, commands for another word.
std::vector<std::string> candidates(const CLI::App& app, bool flag) {
  std::vector<std::string> names;
  if (flag) {
    for (const CLI::Option* option : app.get_options({})) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  } else {
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(sub->get_name());
  }
  return names;
}

std::string nearest(const CLI::App& app, const std::string& word) {
  const std::string bare = word.substr(0, word.find('='));
  const std::vector<std::string> names = candidates(app, bare.starts_with('-'));
  const std::vector<std::string_view> views(names.begin(), names.end());
  return did_you_mean(bare, views);
}

}  // namespace

int explain_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  const CLI::App& sub = innermost(app);
  const std::vector<std::string> unknown = app.remaining(true);
  const std::string where = &sub == &app ? "kelda" : "kelda " + sub.get_name();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !unknown.empty()) {
    const std::string& word = unknown.front();
    const bool is_command = &sub == &app && !word.starts_with('-');
    const std::string near = nearest(sub, word);
    say("kelda: error: {} {}{}\n", is_command ? "unknown command" : "unexpected argument", word,
        near.empty() ? "" : fmt::format("; did you mean {}?", near));
  } else {
    say("kelda: error: {}\n", error.what());
  }
  say("See: {} --help\n", where);
  return 2;
}

}  // namespace kelda::cli
