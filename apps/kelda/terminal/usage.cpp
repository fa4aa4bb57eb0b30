#include "apps/kelda/terminal/usage.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "apps/kelda/terminal/say.h"
#include "base/did_you_mean.h"
#include "base/quote.h"

namespace kelda::cli {
namespace {

// The subcommand that was being parsed, at any depth; the app itself if none.
const CLI::App& innermost(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands()) return innermost(*sub);
  return app;
}

// "kelda calc kv": the words that lead to the subcommand.
std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : path_of(*app.get_parent()) + " " + app.get_name();
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

// The option that CLI11 names in a message; null if none.
const CLI::Option* find_option(const CLI::App& app, const std::string& name) {
  const auto options = app.get_options([&](const CLI::Option* option) { return option->get_name() == name; });
  return options.empty() ? nullptr : options.front();
}

// What CLI11 says, in our words where it speaks of types and counts.
std::string plain_words(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::string name = text.substr(0, text.find(": "));
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) {
    if (text.ends_with(" missing")) return name + ": its value is missing";
    if (text.find(": At Most 1 required") != std::string::npos) return name + ": is given more than once";
  }
  // "Could not convert: --json = maybe": of a flag, since the values of options have checks of their own.
  constexpr std::string_view kFlag = "Could not convert: ";
  if (const std::size_t is = text.find(" = "); text.starts_with(kFlag) && is != std::string::npos) {
    return fmt::format("{}: a flag is given without a value, or with =true or =false; got {}",
                       text.substr(kFlag.size(), is - kFlag.size()), quote(text.substr(is + 3)));
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError)) {
    const CLI::Option* option = find_option(app, text.substr(0, text.rfind(" is required")));
    if (option != nullptr) return fmt::format("{}: {}", text, option->get_description());
  }
  return text;
}

// A prompt whose words the shell has separated, as one; empty if that is not what happened.
std::string prompt_in_quotes(const CLI::App& app, const std::vector<std::string>& unexpected) {
  const auto options = app.get_options([](const CLI::Option* o) { return o->get_name(true) == "prompt"; });
  if (options.empty() || options.front()->count() == 0) return {};
  std::string whole = options.front()->results().front();
  for (const std::string& word : unexpected) {
    if (word.starts_with('-')) break;
    whole += " " + word;
  }
  return quote(whole);
}

// About words that have no place on the command line.
std::string unexpected_words(const CLI::App& app, bool is_command, const std::vector<std::string>& words) {
  const std::string& word = words.front();
  if (is_command && !word.starts_with('-')) {
    const std::string near = nearest(app, word);
    return fmt::format("unknown command {}{}", quote(word),
                       near.empty() ? near : fmt::format("; did you mean {}?", near));
  }
  const std::string near = nearest(app, word);
  if (!near.empty()) return fmt::format("unexpected argument {}; did you mean {}?", quote(word), near);
  const std::string prompt = word.starts_with('-') ? "" : prompt_in_quotes(app, words);
  return fmt::format(
      "unexpected argument {}{}", quote(word),
      prompt.empty() ? prompt : fmt::format("; a prompt of several words goes in quotes: {}", prompt));
}

}  // namespace

int explain_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  const CLI::App& sub = innermost(app);
  const std::vector<std::string> unknown = app.remaining(true);
  const bool extras = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  say_error(extras && !unknown.empty() ? unexpected_words(sub, &sub == &app, unknown)
                                       : plain_words(sub, error));
  say("See: {} --help\n", path_of(sub));
  return 2;
}

}  // namespace kelda::cli
