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
  // is at least one candidate. Throws std::bad_alloc alone, and only on the first call for a vocab_size(): by
  // that, not by what is left, buffers are sized, and then reused. After a throw the next call does the whole
  // work.
  virtual void apply(Candidates& candidates, const History& history) = 0;
};

// One token of the computation that judges the samplers.
struct TextbookToken {
  TokenId id;
  double logit;
  double p;
};

// A knob that was set and does nothing, and why: "repetition_window is 0, which is off".
struct Inert {
  std::string_view knob;
  std::string_view why;
};

// All that is known of a sampler: chain, request, notices, reference page and selftest derive from it.
struct SamplerSpec {
  std::string_view name;
  Stage stage;
  std::vector<Knob> knobs;
  // nullptr where the knobs say that this sampler is off.
  std::unique_ptr<Sampler> (*make)(const Knobs&);
  // The definition once more, for selftest: plain and in double, from `knobs` itself, sharing no code with
  // apply(). `tokens` are all that are left, best first, with the p of their softmax; both are made anew
  // after it, so it changes logits or erases, and does nothing where the sampler is off.
  void (*textbook)(std::vector<TextbookToken>& tokens, const History& history, const Knobs& knobs);
  // JSON objects of settings that selftest draws with. The first one goes well with other samplers; together
  // they name every knob of `knobs`.
  std::vector<std::string_view> selftest;
  // Where it always leaves one token, so that neither chance nor other samplers from kTemperature on count:
  // why; else empty.
  std::string_view (*decides)(const Knobs&) = nullptr;
  // Which of its own knobs cannot have an effect beside its others.
  std::vector<Inert> (*inert)(const Knobs&) = nullptr;
};
std::span<const SamplerSpec* const> samplers();  // generated, sorted by file name

}  // namespace kelda::sampling
