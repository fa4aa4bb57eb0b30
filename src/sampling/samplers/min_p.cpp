// Min-p: drops tokens less likely than min_p × the best one. Source: Nguyen et al. 2024 (arXiv 2407.01082).
#include "base/math.h"
#include "sampling/sampler.h"

namespace kelda::sampling::min_p {
namespace {

class MinP final : public Sampler {
 public:
  explicit MinP(double min_p) : log_min_p_(log_f64(min_p)) {}

  // p / p_max is a difference of logits, so no probabilities are needed.
  void apply(Candidates& candidates, const History&, const DrawKey&) override {
    const auto max = static_cast<double>(candidates.best().logit);
    candidates.drop_if(
        [this, max](const Candidate& c) { return static_cast<double>(c.logit) - max < log_min_p_; });
  }

 private:
  double log_min_p_;  // ≤ 0, so the best one stays
};

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "min_p",
      .stage = Stage::kMinP,
      .knobs = {{.name = "min_p",
                 .def = 0,
                 .lo = 0,
                 .hi = 1,
                 .unit = "ratio",
                 .help = "Keep only tokens at least this likely relative to the likeliest one. 0 = off."}},
      .is_on = [](const Knobs& knobs) { return knobs.number("min_p") != 0; },
      .make = [](const Knobs& knobs, const TokenText&, std::size_t) -> std::unique_ptr<Sampler> {
        return std::make_unique<MinP>(knobs.number("min_p"));
      },
      .textbook =
          [](std::vector<TextbookToken>& tokens, const TextbookPast&, const Knobs& knobs) {
            const double least = knobs.number("min_p") * tokens[0].p;
            std::erase_if(tokens, [least](const TextbookToken& t) { return t.p < least; });
          },
      .selftest = {R"({"min_p": 0.05})", R"({"min_p": 0.2})"},
      .inert = [](const Knobs& knobs) -> std::vector<Inert> {
        if (knobs.number("min_p") != 1) return {};
        constexpr std::string_view kWhy = "min_p 1 leaves only the likeliest token and its equals";
        return {{"temperature", kWhy}, {"dynatemp_range", kWhy}};
      }};
  return spec;
}

}  // namespace kelda::sampling::min_p
