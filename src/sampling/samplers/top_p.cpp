// Top-p (nucleus): keeps the shortest prefix of the tokens, best first and ties by the lowest id, whose
// probabilities add up to at least p. Source: Holtzman et al. 2019 (arXiv 1904.09751), section 3.1.
#include "sampling/sampler.h"
#include "sampling/shortest_prefix.h"
#include "sampling/softmax.h"

namespace kelda::sampling::top_p {
namespace {

class TopP final : public Sampler {
 public:
  explicit TopP(double p) : p_(p) {}

  void apply(Candidates& candidates, const History&, const DrawKey&) override {
    prefix_.reserve(candidates.vocab_size());
    weights_.reserve(candidates.vocab_size());
    const float max = candidates.best().logit;
    weights_.assign(candidates.all(), max);
    prefix_.keep(candidates, weights_, p_ * weights_.total(), [max](const Candidate& c) {
      return static_cast<double>(max) - static_cast<double>(c.logit);
    });
  }

 private:
  double p_;
  Weights weights_;
  ShortestPrefix prefix_;
};

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "top_p",
      .stage = Stage::kTopP,
      .knobs =
          {{.name = "top_p",
            .def = 1,
            .lo = 0,
            .hi = 1,
            .lo_open = true,
            .unit = "ratio",
            .help =
                "Keep the fewest likeliest tokens whose probabilities add up to at least this. 1 = off."}},
      .is_on = [](const Knobs& knobs) { return knobs.number("top_p") != 1; },
      .make = [](const Knobs& knobs, const TokenText&, std::size_t) -> std::unique_ptr<Sampler> {
        return std::make_unique<TopP>(knobs.number("top_p"));
      },
      .textbook =
          [](std::vector<TextbookToken>& tokens, const TextbookPast&, const Knobs& knobs) {
            double mass = 0;
            auto end = tokens.begin();
            while (end != tokens.end() && mass < knobs.number("top_p")) mass += (end++)->p;
            tokens.erase(end, tokens.end());
          },
      .selftest = {R"({"top_p": 0.97})", R"({"top_p": 0.6})"}};
  return spec;
}

}  // namespace kelda::sampling::top_p
