// The steps between logits and a drawn token. One sampler is one file in sampling/samplers, with its knob
// rows.
//
// Stages run in the documented order; after each the candidates' probabilities are those of the softmax over
// what is left.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "config/knob.h"
#include "sampling/candidates.h"

namespace kelda::sampling {

// What the penalties look at, oldest first. Ids outside the vocabulary are passed over.
struct History {
  std::span<const TokenId> prompt;
  std::span<const TokenId> generated;
};

// The documented order of the chain (docs/reference/knobs.md): all the places that a sampler may take.
enum class Stage {
  kLogitBias,
  kConstraintMask,
  kRepetitionPenalty,
  kFrequencyPresence,
  kDry,
  kTemperature,
  kTopK,
  kTypicalP,
  kTopP,
  kMinP,
  kTopNSigma,
  kXtc,
};

class Sampler {
 public:
  virtual ~Sampler() = default;
  // Reweights or removes candidates, and never the best one of them, unless the user named it (a ban). There
  // is at least one candidate.
  virtual void apply(Candidates& candidates, const History& history) noexcept = 0;
};

struct SamplerSpec {
  std::string_view name;
  Stage stage;
  std::vector<Knob> knobs;
  // nullptr where the knobs say that this sampler is off.
  std::unique_ptr<Sampler> (*make)(const Knobs&);
};
std::span<const SamplerSpec* const> samplers();  // generated, sorted by file name

}  // namespace kelda::sampling
