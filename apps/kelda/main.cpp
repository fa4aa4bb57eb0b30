// The command line: finds the subcommand, and turns errors into one message and an exit status.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/kelda/command.h"
#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/signals.h"
#include "apps/kelda/terminal/standard_streams.h"
#include "apps/kelda/terminal/usage.h"
#include "base/error.h"

namespace {

using namespace kelda;
int run(int argc, char** argv) {
  CLI::App app{"Runs, measures and improves language models on ordinary CPUs."};
  app.name("kelda");
  app.set_version_flag("--version", "kelda " KELDA_VERSION);
  std::vector<std::pair<CLI::App*, std::function<int()>>> actions;
  for (const cli::Command* command : cli::commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command->name), std::string(command->summary));
    actions.emplace_back(sub, command->setup(*sub));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return cli::explain_parse_error(app, error);
  }
  for (const auto& [sub, action] : actions) {
    if (sub->parsed()) return action();
  }
  fmt::print("{}", app.help());
  return 0;
}

int complain(std::string_view message, int status) {
  cli::say_error(message);
  return status;
}

}  // namespace

int main(int argc, char** argv) try {
  cli::occupy_closed_streams();
  cli::install_signal_handlers();
  const int status = run(argc, argv);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    return complain(fmt::format("cannot write to stdout: {}", std::strerror(errno)), 1);
  return status;
} catch (const Error& error) {
  std::fflush(stdout);
  return complain(error.what(), traits(error.code()).exit_status);
} catch (const std::bad_alloc&) {
  return complain("out of memory", 1);
} catch (const std::system_error& error) {
  // fmt::print throws it, and does not say of which stream it speaks.
  if (std::ferror(stdout) != 0)
    return complain(fmt::format("cannot write to stdout: {}", error.code().message()), 1);
  return complain(error.what(), 1);
} catch (const std::exception& error) {
  return complain(error.what(), 1);
}
