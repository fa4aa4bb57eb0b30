// Top-nσ: keeps the tokens whose logits are at most n standard deviations below the best one. A temperature
// before it changes nothing about which ones these are.
// Source: Tang et al. 2024 (arXiv 2411.07641), algorithm 1.
#include <algorithm>
#include <cmath>

#include "sampling/sampler.h"

namespace kelda::sampling::top_n_sigma {
namespace {

class TopNSigma final : public Sampler {
 public:
  explicit TopNSigma(double n) : n_(n) {}

  void apply(Candidates& candidates, const History&, const DrawKey&) override {
    const auto max = static_cast<double>(candidates.best().logit);
    const auto below_best = [max](const Candidate& c) { return max - static_cast<double>(c.logit); };
    double sum = 0, squares = 0;
    const auto size = static_cast<double>(candidates.size());
    for (const Candidate& c : candidates.all()) sum += below_best(c);
    const double mean = sum / size;
    for (const Candidate& c : candidates.all()) squares += (below_best(c) - mean) * (below_best(c) - mean);
    const double reach = n_ * std::sqrt(squares / size);
    candidates.drop_if([&](const Candidate& c) { return below_best(c) > reach; });
  }

 private:
  double n_;
};

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "top_n_sigma",
      .stage = Stage::kTopNSigma,
      .knobs = {{.name = "top_n_sigma",
                 .lo = 0,
                 .hi = kUnbounded,
                 .unit = "deviations",
                 .help = "Keep only tokens whose logits are within this many standard deviations of the best "
                         "one. 0 = off."}},
      .is_on = [](const Knobs& knobs) { return knobs.number("top_n_sigma") != 0; },
      .make = [](const Knobs& knobs, const TokenText&, std::size_t) -> std::unique_ptr<Sampler> {
        return std::make_unique<TopNSigma>(knobs.number("top_n_sigma"));
      },
      .textbook =
          [](std::vector<TextbookToken>& tokens, const TextbookPast&, const Knobs& knobs) {
            double sum = 0, sum_of_squares = 0;
            for (const TextbookToken& t : tokens) sum += t.logit, sum_of_squares += t.logit * t.logit;
            const auto n = static_cast<double>(tokens.size());
            const double variance = std::max(0.0, sum_of_squares / n - sum / n * (sum / n));
            const double least = tokens[0].logit - knobs.number("top_n_sigma") * std::sqrt(variance);
            std::erase_if(tokens, [least](const TextbookToken& t) { return t.logit < least; });
          },
      .selftest = {R"({"top_n_sigma": 1.3})", R"({"top_n_sigma": 0.6})"}};
  return spec;
}

}  // namespace kelda::sampling::top_n_sigma
