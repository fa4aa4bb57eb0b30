// Draws from every sampler and compares with the exact distribution: kelda selftest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/sampler.h"

namespace kelda::sampling {

// What a chain is tried with.
struct SelftestCase {
  std::string name;
  std::vector<std::string_view> settings;  // JSON objects as a request would give them, set one after another
  std::string_view varied = "position";    // what differs from draw to draw: "position", "choice" or "seed"
};
// From the catalogue: no sampler at all, each in every setting that it names, each with its neighbour in the
// order, all together.
std::vector<SelftestCase> selftest_cases();
Knobs knobs_of(const SelftestCase& test);

// The probability of each token by the samplers' own textbook definitions, in the order of the chain: sorts
// everything and renormalises before and after each one. Only that order and the rows of the knobs are shared
// with the chain. `knobs` from request_knobs().
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
