// The steps between logits and a drawn token. One sampler is one file in sampling/samplers, with its knob
// rows.
//
// Stages run in the documented order or in that of the request; after each the candidates' probabilities are
// those of the softmax over what is left.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "config/knob.h"
#include "sampling/candidates.h"

namespace kelda::sampling {

// What the penalties look at, oldest first. Ids outside the vocabulary are passed over.
struct History {
  std::span<const TokenId> prompt;
  std::span<const TokenId> generated;

  History output() const { return {{}, generated}; }
  // The last `window` tokens of both as one text, −1: all.
  History last(int64_t window) const {
    const std::size_t all = prompt.size() + generated.size();
    const std::size_t n = window < 0 ? all : std::min(all, static_cast<std::size_t>(window));
    const std::size_t n_generated = std::min(n, generated.size());
    return {prompt.last(n - n_generated), generated.last(n_generated)};
  }
};

// What samplers that look at text may ask of the vocabulary. This layer knows no tokenizer: whoever has one
// hands these in, and they live as long as the chain.
struct TokenText {
  // What a token adds to a text that has begun; empty for control tokens and ids outside the vocabulary.
  std::function<std::string(TokenId)> bytes;
  // The ids of a text in which nothing is a control token.
  std::function<std::vector<TokenId>(std::string_view)> encode;
};

// The documented order of the chain (docs/reference/knobs.md): all the places that a sampler may take.
enum class Stage {
  kLogitBias,
  kConstraintMask,
  kBadWords,
  kBadStrings,
  kRepetitionPenalty,
  kFrequencyPresence,
  kDry,
  kNoRepeatNgram,
  kTemperature,  // from here on: what temperature 0 leaves out
  kTopK,         // from here on: what cuts the distribution, and mirostat takes the place of
  kTypicalP,
  kTopP,
  kMinP,
  kTopNSigma,
  kXtc,
  kMirostat,  // learns from the draw, so nothing comes after it
};

// Which of the random numbers of a token is whose: uniform(key, n).
inline constexpr uint32_t kDrawNumber = 0, kXtcNumber = 1;

class Sampler {
 public:
  virtual ~Sampler() = default;
  // Reweights or removes candidates and leaves their order, by id; at least one of them, unless the user
  // named what is to go (a ban). There is at least one. The same arguments give the same, whatever came
  // before, but for what drew() taught. Throws std::bad_alloc alone; after a throw the next call does the
  // whole work. Buffers are sized by vocab_size() or the history, not by what is left, and then reused.
  virtual void apply(Candidates& candidates, const History& history, const DrawKey& key) = 0;
  // What was drawn after apply(). What a sampler learns from it counts for longer histories only, so that the
  // same step can be drawn again. Throws nothing.
  virtual void drew(const Candidate& drawn) { (void)drawn; }
};

// One token of the computation that judges the samplers.
struct TextbookToken {
  TokenId id;
  double logit;
  double p;
};

// What a textbook may look at beside the tokens.
struct TextbookPast {
  History history;
  const TokenText& text;
  // Of each token that this request has drawn: −log2 of its p before the last sampler of the chain.
  std::span<const double> surprises;
  std::size_t vocab_size;
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
  bool (*is_on)(const Knobs&);
  // Asked only where is_on. Throws kUsage for settings that this vocabulary cannot have.
  std::unique_ptr<Sampler> (*make)(const Knobs&, const TokenText&, std::size_t vocab_size);
  // The definition once more, for selftest: plain and in double, from `knobs` itself, sharing no code with
  // apply(). `tokens` are all that are left, best first, with the p of their softmax; both are made anew
  // after it, so it changes logits or erases. Asked only where is_on.
  void (*textbook)(std::vector<TextbookToken>& tokens, const TextbookPast& past, const Knobs& knobs);
  // JSON objects of settings that selftest draws with. The first one goes well with other samplers; together
  // they name every knob of `knobs`.
  std::vector<std::string_view> selftest;
  // Where it always leaves one token, so that neither chance nor other samplers from kTemperature on count:
  // why; else empty.
  std::string_view (*decides)(const Knobs&) = nullptr;
  // Which knobs cannot have an effect beside the values of its own.
  std::vector<Inert> (*inert)(const Knobs&) = nullptr;
  // Where it takes the place of all the samplers from kTopK on: why; else empty.
  std::string_view (*replaces)(const Knobs&) = nullptr;
  // How probable it is that it does anything, where that is left to chance; its textbook is for when it does.
  double (*chance)(const Knobs&) = nullptr;
  // Whether it leaves the order of the candidates, best first, as it was (true), and whether that order is
  // all it looks at: such neighbours may change places.
  bool (*keeps_order)(const Knobs&) = nullptr;
  bool by_order = false;
  // Whether the best candidate may be among those that it removes.
  bool may_drop_best = false;
};
std::span<const SamplerSpec* const> samplers();  // generated, sorted by file name

}  // namespace kelda::sampling
