// XTC, "exclude top choices": now and then removes all the tokens at or above a probability but the least
// likely of them, so that the text takes a turn that is plausible and not the obvious one.
// Source: p-e-w 2024, text-generation-webui pull request 6335.
#include <algorithm>

#include "sampling/sampler.h"
#include "sampling/softmax.h"

namespace kelda::sampling::xtc {
namespace {

class Xtc final : public Sampler {
 public:
  Xtc(double probability, double threshold) : probability_(probability), threshold_(threshold) {}

  void apply(Candidates& candidates, const History&, const DrawKey& key) override {
    weights_.reserve(candidates.vocab_size());
    if (uniform(key, kXtcNumber) >= probability_) return;
    weights_.assign(candidates.all(), candidates.best().logit);
    const double least = threshold_ * weights_.total();
    const Candidate* worst = nullptr;  // of those at or above the threshold
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Candidate& c = candidates.all()[i];
      if (weights_.each()[i] >= least && (worst == nullptr || better(*worst, c))) worst = &c;
    }
    if (worst == nullptr) return;
    candidates.drop_if([kept = *worst](const Candidate& c) { return better(c, kept); });
  }

 private:
  double probability_, threshold_;
  Weights weights_;
};

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "xtc",
      .stage = Stage::kXtc,
      .knobs = {{.name = "xtc_probability",
                 .lo = 0,
                 .hi = 1,
                 .unit = "ratio",
                 .help = "How often, by chance, all tokens at or above xtc_threshold but the least likely of "
                         "them are removed. 0 = off."},
                {.name = "xtc_threshold",
                 .def = 0.1,
                 .lo = 0,
                 .hi = 1,
                 .unit = "ratio",
                 .help =
                     "The probability from which on a token is one of the top choices. Above 0.5 there is "
                     "never more than one, and nothing is removed."}},
      .is_on =
          [](const Knobs& knobs) {
            return knobs.number("xtc_probability") != 0 && knobs.number("xtc_threshold") <= 0.5;
          },
      .make = [](const Knobs& knobs, const TokenText&, std::size_t) -> std::unique_ptr<Sampler> {
        return std::make_unique<Xtc>(knobs.number("xtc_probability"), knobs.number("xtc_threshold"));
      },
      .textbook =
          [](std::vector<TextbookToken>& tokens, const TextbookPast&, const Knobs& knobs) {
            const double threshold = knobs.number("xtc_threshold");
            const auto n = std::count_if(tokens.begin(), tokens.end(),
                                         [&](const TextbookToken& t) { return t.p >= threshold; });
            if (n > 1) tokens.erase(tokens.begin(), tokens.begin() + (n - 1));
          },
      .selftest = {R"({"xtc_probability": 0.5, "xtc_threshold": 0.02})",
                   R"({"xtc_probability": 1, "xtc_threshold": 0.01})"},
      .inert = [](const Knobs& knobs) -> std::vector<Inert> {
        if (knobs.number("xtc_probability") == 0)
          return {{"xtc_threshold", "xtc_probability is 0, which is off"}};
        if (knobs.number("xtc_threshold") > 0.5)
          return {{"xtc_probability", "xtc_threshold is above 0.5, and no two tokens are both that likely"}};
        return {};
      },
      .chance = [](const Knobs& knobs) { return knobs.number("xtc_probability"); },
      .may_drop_best = true};
  return spec;
}

}  // namespace kelda::sampling::xtc
