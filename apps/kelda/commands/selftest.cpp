// kelda selftest: checks on this machine what Kelda promises of its results.
#include "sampling/selftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "apps/kelda/command.h"

namespace kelda::cli::selftest {
namespace {

// Prints its table to stdout; false if anything failed.
bool check_sampling() {
  const auto rows = sampling::run_selftest();
  std::size_t width = 0;
  for (const sampling::SelftestRow& row : rows) width = std::max(width, row.name.size());
  fmt::print("{:<{}} {:>8} {:>9} {:>4} {:>8}\n", "settings", width, "draws", "chi2", "dof", "p");
  bool all_ok = true;
  for (const sampling::SelftestRow& row : rows) {
    fmt::print("{:<{}} {:>8} {:>9.2f} {:>4} {:>8.4f}  {}\n", row.name, width, row.draws, row.chi2, row.dof,
               row.p, row.ok ? "ok" : "FAILED");
    all_ok = all_ok && row.ok;
  }
  return all_ok;
}

struct Section {
  std::string_view title;
  bool (*run)();
};
constexpr Section kSections[] = {
    {"Sampling: draws against the exact distribution (chi-square)", check_sampling},
};

int run() {
  int n_failed = 0;
  for (const Section& section : kSections) {
    fmt::print("{}\n", section.title);
    std::fflush(stdout);
    if (!section.run()) ++n_failed;
    fmt::print("\n");
  }
  fmt::print("{}\n", n_failed == 0 ? "all passed"
                                   : fmt::format("{} of {} parts FAILED", n_failed, std::size(kSections)));
  return n_failed == 0 ? 0 : 1;
}

}  // namespace

const Command& command() {
  static const Command c{"selftest",
                         "Check on this machine that the samplers draw from the exact distributions",
                         [](CLI::App&) -> std::function<int()> { return run; }};
  return c;
}

}  // namespace kelda::cli::selftest
