// kelda calc: the arithmetic of language models, with the same measured beside it.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/kelda/calc/calculator.h"
#include "apps/kelda/command.h"
#include "base/error.h"

namespace kelda::cli::calc {
namespace {

std::function<int()> setup(CLI::App& app) {
  auto actions = std::make_shared<std::vector<std::pair<const CLI::App*, std::function<int()>>>>();
  for (const Calculator& (*calculator)() :
       {kv_calculator, cost_calculator, roofline_calculator, attention_calculator, quant_calculator}) {
    const Calculator& c = calculator();
    CLI::App* sub = app.add_subcommand(std::string(c.name), std::string(c.summary));
    actions->emplace_back(sub, c.setup(*sub));
  }
  return [actions]() -> int {
    std::string names;
    for (const auto& [sub, action] : *actions) {
      if (sub->parsed()) return action();
      names += (names.empty() ? "" : ", ") + sub->get_name();
    }
    fail(ErrorCode::kUsage, "calc: name what to work out: {}", names);
  };
}

}  // namespace

const Command& command() {
  static const Command c{"calc", "Work out memory, cost and speed, by formula and measured", setup};
  return c;
}

}  // namespace kelda::cli::calc
