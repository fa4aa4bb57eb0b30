// kelda version: what was built, and what it runs on.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/kelda/command.h"
#include "base/cpu.h"

namespace kelda::cli::version {
namespace {

#ifdef NDEBUG
constexpr std::string_view kBuildType = "release";
#else
constexpr std::string_view kBuildType = "debug (with assertions)";
#endif

std::vector<std::string> names_of(bool only_available) {
  std::vector<std::string> names;
  for (const Isa isa : kIsas) {
    if (!only_available || available(isa)) names.emplace_back(name(isa));
  }
  return names;
}

int run(bool json) {
  const std::string chosen(name(choose_isa()));
  const std::vector<std::string> compiled = names_of(false), usable = names_of(true);
  if (json) {
    const nlohmann::ordered_json all = {
        {"version", KELDA_VERSION},
        {"compiler", __VERSION__},
        {"build_type", kBuildType},
        {"instruction_sets", {{"compiled", compiled}, {"available", usable}, {"chosen", chosen}}},
        {"processors", usable_processors()}};
    fmt::print("{}\n", all.dump(2));
    return 0;
  }
  fmt::print("kelda {}\n", KELDA_VERSION);
  fmt::print("compiler          {}\n", __VERSION__);
  fmt::print("build             {}\n", kBuildType);
  fmt::print("instruction sets  {} compiled, {} available here, {} chosen\n", fmt::join(compiled, " "),
             fmt::join(usable, " "), chosen);
  fmt::print("processors        {}\n", usable_processors());
  return 0;
}

std::function<int()> setup(CLI::App& app) {
  const auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "Print it as JSON");
  return [json] { return run(*json); };
}

}  // namespace

const Command& command() {
  static const Command c{
      .name = "version", .summary = "Print version, build and instruction sets", .setup = setup};
  return c;
}

}  // namespace kelda::cli::version
