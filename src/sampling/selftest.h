// Draws from every sampler and compares with the exact distribution: kelda selftest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/sampler.h"
#include "sampling/sampler_order.h"

namespace kelda::sampling {

// What a chain is tried with.
struct SelftestCase {
  std::string name;
  std::vector<std::string> settings;     // JSON objects as a request would give them, set one after another
  std::string_view varied = "position";  // what differs from draw to draw: "position", "choice" or "seed"
  int steps = 1;                         // 2: what is counted is the draw after a first one
};
// From the catalogue: no sampler at all, each in every setting that it names, each with its neighbour in the
// order, all together, all in the order of each profile, and what follows a draw that had a say in it.
std::vector<SelftestCase> selftest_cases(const SamplerList& all = samplers_in_order());
Knobs knobs_of(const SelftestCase& test);

// What the draws of the cases are made from: logits of 300 tokens with ties everywhere, a text that repeats
// itself, a vocabulary of letters.
std::vector<float> selftest_logits();
History selftest_history();
const TokenText& selftest_text();

// What the samplers' own textbook definitions make of logits, in the order of the chain: sorts everything and
// renormalises before and after each one. Only that order and the rows of the knobs are shared with the
// chain.
struct Textbook {
  std::vector<double> p;            // by id
  std::vector<double> before_last;  // the same before the last sampler
};
Textbook textbook(std::span<const float> logits, const TextbookPast& past, const Knobs& knobs,
                  const SamplerList& all = samplers_in_order());
// Its p for the first draw of a request, in selftest's vocabulary.
std::vector<double> textbook_distribution(std::span<const float> logits, const History& history,
                                          const Knobs& knobs);
// The p of a case's draws.
std::vector<double> textbook_of(const SelftestCase& test, std::span<const float> logits,
                                const History& history, const SamplerList& all = samplers_in_order());

struct SelftestRow {
  std::string name;
  uint64_t draws = 0;
  double chi2 = 0;
  int dof = 0;
  double p = 0;
  bool ok = false;
};
// One case, with the logits and the history given. The draws are the same each time; at least 1000.
SelftestRow run_case(const SelftestCase& test, std::span<const float> logits, const History& history,
                     uint64_t draws, const SamplerList& all = samplers_in_order());
// One row per case.
std::vector<SelftestRow> run_selftest(uint64_t draws = 40000, const SamplerList& all = samplers_in_order());

}  // namespace kelda::sampling
