// Temperature: divides the logits. Above 1 flattens the distribution, below 1 sharpens it.
#include "sampling/sampler.h"

namespace kelda::sampling::temperature {
namespace {

class Temperature final : public Sampler {
 public:
  explicit Temperature(double temperature) : temperature_(temperature) {}

  // Measured from the largest logit, which softmax does not notice: no temperature, however small, overflows,
  // and what is near the best keeps its precision.
  void apply(Candidates& candidates, const History&) override {
    const auto max = static_cast<double>(candidates.best().logit);
    for (Candidate& c : candidates.all())
      c.logit = finite_logit((static_cast<double>(c.logit) - max) / temperature_);
  }

 private:
  double temperature_;
};

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "temperature",
      .stage = Stage::kTemperature,
      .knobs =
          {{.name = "temperature",
            .def = 1,
            .lo = 0,
            .hi = kUnbounded,
            .unit = "ratio",
            .help =
                "Divides the logits. 1 = the model's own distribution; 0 = always the likeliest token (ties: "
                "the lowest id)."}},
      .make = [](const Knobs& knobs) -> std::unique_ptr<Sampler> {
        const double temperature = knobs.number("temperature");
        if (temperature == 0 || temperature == 1) return nullptr;  // 0: the chain takes the best one itself
        return std::make_unique<Temperature>(temperature);
      },
      .textbook =
          [](std::vector<TextbookToken>& tokens, const History&, const Knobs& knobs) {
            const double temperature = knobs.number("temperature");
            if (temperature == 0) tokens.erase(tokens.begin() + 1, tokens.end());
            for (TextbookToken& t : tokens) t.logit /= temperature == 0 ? 1 : temperature;
          },
      .selftest = {R"({"temperature": 1.4})", R"({"temperature": 0.5})", R"({"temperature": 0})"},
      .decides = [](const Knobs& knobs) -> std::string_view {
        return knobs.number("temperature") == 0 ? "temperature 0 always takes the likeliest token" : "";
      }};
  return spec;
}

}  // namespace kelda::sampling::temperature
