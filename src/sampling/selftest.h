// Draws from every sampler and compares with the exact distribution: kelda selftest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/sampler.h"

namespace kelda::sampling {

// What a chain is tried with: settings as a request would give them.
struct SelftestCase {
  std::string_view name;
  std::string_view settings;             // a JSON object
  std::string_view varied = "position";  // what differs from draw to draw: "position", "choice" or "seed"
};
std::span<const SelftestCase> selftest_cases();

// The probability of each token by the textbook's definitions: sorts everything, renormalises after each
// stage, and shares no code with the samplers. `knobs` from request_knobs().
std::vector<double> textbook_distribution(std::span<const float> logits, const History& history,
                                          const Knobs& knobs);

struct SelftestRow {
  std::string name;
  uint64_t draws = 0;
  double chi2 = 0;
  int dof = 0;
  double p = 0;
  bool ok = false;
};
// One row per case. The draws are the same each time. `draws` per case, at least 1000.
std::vector<SelftestRow> run_selftest(uint64_t draws = 100000);

}  // namespace kelda::sampling
