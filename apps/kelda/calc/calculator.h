// The calculators of `kelda calc`: each shows its formula, what goes into it, what comes out, and, where it
// can, the same measured on this machine.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>

namespace kelda::cli {

struct Calculator {
  std::string_view name;
  std::string_view summary;
  std::function<int()> (*setup)(CLI::App& app);  // as a command's (apps/kelda/command.h)
};
const Calculator& kv_calculator();
const Calculator& cost_calculator();
const Calculator& roofline_calculator();
const Calculator& attention_calculator();
const Calculator& quant_calculator();

}  // namespace kelda::cli
