// Frequency and presence penalties: subtract from the logits of generated tokens, per occurrence and once.
// Source: the OpenAI API reference, "frequency_penalty" and "presence_penalty".
#include <algorithm>
#include <utility>

#include "sampling/sampler.h"

namespace kelda::sampling::frequency_presence {
namespace {

class FrequencyPresence final : public Sampler {
 public:
  FrequencyPresence(double frequency, double presence) : frequency_(frequency), presence_(presence) {}

  void apply(Candidates& candidates, const History& history) override {
    if (counts_.size() != candidates.vocab_size()) counts_.assign(candidates.vocab_size(), 0);
    for (const TokenId id : history.generated) {
      if (in_range(id)) ++counts_[static_cast<std::size_t>(id)];
    }
    for (const TokenId id : history.generated) {
      if (!in_range(id)) continue;
      const uint32_t count =
          std::exchange(counts_[static_cast<std::size_t>(id)], 0);  // 0 again for the next draw
      Candidate* c = count > 0 ? candidates.find(id) : nullptr;
      if (c != nullptr)
        c->logit = finite_logit(static_cast<double>(c->logit) - (frequency_ * count + presence_));
    }
  }

 private:
  bool in_range(TokenId id) const { return id >= 0 && static_cast<std::size_t>(id) < counts_.size(); }

  double frequency_, presence_;
  std::vector<uint32_t> counts_;  // by id; all zero between draws
};

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "frequency_presence",
      .stage = Stage::kFrequencyPresence,
      .knobs = {{.name = "frequency_penalty",
                 .lo = -2,
                 .hi = 2,
                 .unit = "logits",
                 .help = "Subtracted from a token's logit for each time it is in the output. 0 = off."},
                {.name = "presence_penalty",
                 .lo = -2,
                 .hi = 2,
                 .unit = "logits",
                 .help = "Subtracted once from the logit of each token that is in the output. 0 = off."}},
      .make = [](const Knobs& knobs) -> std::unique_ptr<Sampler> {
        const double frequency = knobs.number("frequency_penalty"),
                     presence = knobs.number("presence_penalty");
        if (frequency == 0 && presence == 0) return nullptr;
        return std::make_unique<FrequencyPresence>(frequency, presence);
      },
      .textbook =
          [](std::vector<TextbookToken>& tokens, const History& history, const Knobs& knobs) {
            for (TextbookToken& t : tokens) {
              const auto n = std::count(history.generated.begin(), history.generated.end(), t.id);
              if (n == 0) continue;
              t.logit -= knobs.number("frequency_penalty") * static_cast<double>(n);
              t.logit -= knobs.number("presence_penalty");
            }
          },
      .selftest = {R"({"frequency_penalty": 0.3, "presence_penalty": 0.4})", R"({"frequency_penalty": 0.7})",
                   R"({"presence_penalty": 1.2})"}};
  return spec;
}

}  // namespace kelda::sampling::frequency_presence
