// Temperature: divides the logits. Above 1 flattens the distribution, below 1 sharpens it. A dynamic one is
// chosen for each token between two bounds, by how undecided the model is: the entropy of the distribution
// relative to the largest that so many tokens can have.
// Source of the dynamic one: llama.cpp, "dynatemp", after kalomaze 2024.
#include <algorithm>
#include <limits>

#include "base/math.h"
#include "sampling/oracle.h"
#include "sampling/sampler.h"
#include "sampling/softmax.h"

namespace kelda::sampling::temperature {
namespace {

// Measured from the largest logit, which softmax does not notice: no temperature, however small, overflows,
// and what is near the best keeps its precision.
void divide(Candidates& candidates, double max, double temperature) {
  for (Candidate& c : candidates.all())
    c.logit = finite_logit((static_cast<double>(c.logit) - max) / temperature);
}

class Temperature final : public Sampler {
 public:
  explicit Temperature(double temperature) : temperature_(temperature) {}

  void apply(Candidates& candidates, const History&, const DrawKey&) override {
    divide(candidates, static_cast<double>(candidates.best().logit), temperature_);
  }

 private:
  double temperature_;
};

class DynamicTemperature final : public Sampler {
 public:
  DynamicTemperature(double temperature, double range, double exponent)
      : least_(std::max(0.0, temperature - range)),
        most_(std::min(temperature + range, std::numeric_limits<double>::max())),
        exponent_(exponent) {}

  void apply(Candidates& candidates, const History&, const DrawKey&) override {
    weights_.reserve(candidates.vocab_size());
    if (candidates.size() == 1) return;
    const Candidate best = candidates.best();
    const double undecided =
        entropy(candidates, best.logit) / log_f64(static_cast<double>(candidates.size()));
    const double temperature = least_ + (most_ - least_) * power(std::clamp(undecided, 0.0, 1.0));
    if (temperature == 0) {
      candidates.keep_down_to(best);
    } else {
      divide(candidates, static_cast<double>(best.logit), temperature);
    }
  }

 private:
  // Of the softmax: the mean of −log p, which is the distance to the best logit plus the log of the total.
  double entropy(const Candidates& candidates, float max) {
    weights_.assign(candidates.all(), max);
    double distances = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const double weight = weights_.each()[i];
      const double distance = static_cast<double>(max) - static_cast<double>(candidates.all()[i].logit);
      if (weight > 0) distances += weight * distance;
    }
    return distances / weights_.total() + log_f64(weights_.total());
  }

  double power(double x) const {
    if (exponent_ == 0) return 1;
    return x == 0 ? 0 : exp_f64(exponent_ * log_f64(x));
  }

  double least_, most_, exponent_;
  Weights weights_;
};

double textbook_temperature(const std::vector<TextbookToken>& tokens, const Knobs& knobs) {
  const double temperature = knobs.number("temperature"), range = knobs.number("dynatemp_range");
  if (range == 0 || tokens.size() == 1) return range == 0 ? temperature : 1;
  double entropy = 0;
  for (const TextbookToken& t : tokens) entropy -= t.p > 0 ? t.p * oracle::log(t.p) : 0;
  const double normalized = entropy / oracle::log(static_cast<double>(tokens.size()));
  const double least = std::max(0.0, temperature - range), most = temperature + range;
  return least + (most - least) * oracle::pow(normalized, knobs.number("dynatemp_exponent"));
}

std::vector<Knob> rows() {
  return {
      {.name = "temperature",
       .def = 1,
       .lo = 0,
       .hi = kUnbounded,
       .unit = "ratio",
       .help = "Divides the logits. 1 = the model's own distribution; 0 = always the likeliest token (ties: "
               "the lowest id)."},
      {.name = "dynatemp_range",
       .lo = 0,
       .hi = kUnbounded,
       .unit = "ratio",
       .help = "The temperature of each token lies within this distance of `temperature`: low where the "
               "model is sure, high where it is not. 0 = off."},
      {.name = "dynatemp_exponent",
       .def = 1,
       .lo = 0,
       .hi = kUnbounded,
       .help = "The power of the relative entropy by which the dynamic temperature rises."}};
}

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "temperature",
      .stage = Stage::kTemperature,
      .knobs = rows(),
      .is_on =
          [](const Knobs& knobs) {
            const double temperature = knobs.number("temperature");  // 0: the chain takes the best one itself
            return temperature != 0 && (temperature != 1 || knobs.number("dynatemp_range") != 0);
          },
      .make = [](const Knobs& knobs, const TokenText&, std::size_t) -> std::unique_ptr<Sampler> {
        const double temperature = knobs.number("temperature"), range = knobs.number("dynatemp_range");
        if (range == 0) return std::make_unique<Temperature>(temperature);
        return std::make_unique<DynamicTemperature>(temperature, range, knobs.number("dynatemp_exponent"));
      },
      .textbook =
          [](std::vector<TextbookToken>& tokens, const TextbookPast&, const Knobs& knobs) {
            const double temperature = textbook_temperature(tokens, knobs);
            if (temperature == 0) tokens.erase(tokens.begin() + 1, tokens.end());
            for (TextbookToken& t : tokens) t.logit /= temperature == 0 ? 1 : temperature;
          },
      .selftest = {R"({"temperature": 1.4})", R"({"temperature": 0.5})", R"({"temperature": 0})",
                   R"({"temperature": 1.1, "dynatemp_range": 0.6})",
                   R"({"temperature": 0.8, "dynatemp_range": 0.8, "dynatemp_exponent": 2.5})"},
      .decides = [](const Knobs& knobs) -> std::string_view {
        return knobs.number("temperature") == 0 ? "temperature 0 always takes the likeliest token" : "";
      },
      .inert = [](const Knobs& knobs) -> std::vector<Inert> {
        if (knobs.number("temperature") == 0) {
          constexpr std::string_view kWhy = "temperature 0 always takes the likeliest token";
          return {{"dynatemp_range", kWhy}, {"dynatemp_exponent", kWhy}};
        }
        if (knobs.number("dynatemp_range") == 0)
          return {{"dynatemp_exponent", "dynatemp_range is 0, which is off"}};
        return {};
      },
      .keeps_order = [](const Knobs& knobs) { return knobs.number("dynatemp_range") == 0; }};
  return spec;
}

}  // namespace kelda::sampling::temperature
