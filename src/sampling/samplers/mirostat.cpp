// Mirostat: steers the surprise of the text to a target by choosing for each token how many of the likeliest
// ones may be drawn, and learns from what was drawn. It takes the place of the other samplers that cut.
//   1: the number of tokens, from an estimate of how steeply the probabilities fall (Zipf's exponent);
//   2: the tokens whose surprise is at most mu.
// Surprises are −log2 p of the distribution before it is cut. Source: Basu et al. 2020 (arXiv 2007.14966),
// algorithms 1 and 2; version 2 as in the authors' code.
#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "sampling/oracle.h"
#include "sampling/sampler.h"
#include "sampling/softmax.h"

namespace kelda::sampling::mirostat {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr std::size_t kEstimateFrom = 100;  // the paper's m: so many of the best show how steeply they fall

// What has been learned, by the number of tokens drawn: drawing a step again begins where it began before.
class Learned {
 public:
  Learned(double tau, double eta) : tau_(tau), eta_(eta), first_(2 * tau) {}

  // Before the draw that follows `n_drawn` tokens. Tokens that were not drawn here have taught nothing.
  double at(std::size_t n_drawn) {
    constexpr std::size_t kFewest = 4096;
    if (by_step_.capacity() < n_drawn + 2) by_step_.reserve(std::max(2 * n_drawn, kFewest));
    while (by_step_.size() <= n_drawn) by_step_.push_back(by_step_.empty() ? first_ : by_step_.back());
    return by_step_[n_drawn];
  }
  // at(n_drawn) has made room.
  void learn(std::size_t n_drawn, double surprise) noexcept {
    by_step_.resize(n_drawn + 1);
    by_step_.push_back(by_step_.back() - eta_ * (surprise - tau_));
  }

 private:
  double tau_, eta_, first_;
  std::vector<double> by_step_;
};

class Mirostat final : public Sampler {
 public:
  Mirostat(int64_t version, double tau, double eta) : version_(version), learned_(tau, eta) {}

  void apply(Candidates& candidates, const History& history, const DrawKey&) override {
    weights_.reserve(candidates.vocab_size());
    step_ = history.generated.size();
    const double mu = learned_.at(step_);
    const Candidate best = candidates.best();
    weights_.assign(candidates.all(), best.logit);
    max_ = static_cast<double>(best.logit);
    log_total_ = log_f64(weights_.total());
    if (version_ == 1) {
      candidates.keep_best(candidates.vocab_size());  // removes none, but has room for any number from now on
      candidates.keep_best(n_to_keep(candidates, mu));
    } else {
      candidates.drop_if([&](const Candidate& c) { return better(best, c) && surprise(c) > mu; });
    }
  }

  void drew(const Candidate& drawn) override { learned_.learn(step_, surprise(drawn)); }

 private:
  double surprise(const Candidate& c) const {
    return (max_ - static_cast<double>(c.logit) + log_total_) / kLn2;
  }

  // Least squares of the logs of neighbours' probabilities against those of their ranks.
  double steepness(const Candidates& candidates) {
    BestOf best_of(kEstimateFrom, candidates.vocab_size(), best_);
    for (const Candidate& c : candidates.all()) best_of.offer(c);
    best_of.finish(true);
    double ranks = 0, both = 0;
    for (std::size_t i = 0; i + 1 < best_.size(); ++i) {
      const double t = log_f64(static_cast<double>(i + 2) / static_cast<double>(i + 1));
      const double b = static_cast<double>(best_[i].logit) - static_cast<double>(best_[i + 1].logit);
      both += t * b;
      ranks += t * t;
    }
    return ranks == 0 ? 0 : both / ranks;
  }

  // The k of the paper's equation for mu and s, at least 1: log k = log(ε 2^mu / (1 − N^−ε)) / s, ε = s − 1.
  std::size_t n_to_keep(const Candidates& candidates, double mu) {
    const double s = steepness(candidates);
    const double log_n = log_f64(static_cast<double>(candidates.vocab_size()));
    const double x = (s - 1) * log_n;
    // (1 − e^−x) / x, which is 1 at 0 and loses its digits beside it.
    const double ratio = std::abs(x) < 1e-4 ? 1 - x / 2 + x * x / 6 : (1 - exp_f64(-x)) / x;
    const double log_k = mu * kLn2 - log_f64(log_n * ratio);
    const auto all = static_cast<double>(candidates.size());
    if (s == 0) return log_k > 0 ? candidates.size() : 1;  // all alike: as for the smallest s
    const double k = exp_f64(std::clamp(log_k / s, 0.0, 40.0));
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::min(k, all)));
  }

  int64_t version_;
  Learned learned_;
  Weights weights_;
  std::vector<Candidate> best_;
  // Of the last apply().
  std::size_t step_ = 0;
  double max_ = 0, log_total_ = 0;
};

void textbook(std::vector<TextbookToken>& tokens, const TextbookPast& past, const Knobs& knobs) {
  const double tau = knobs.number("mirostat_tau");
  double mu = 2 * tau;
  for (const double surprise : past.surprises) mu -= knobs.number("mirostat_eta") * (surprise - tau);
  if (knobs.integer("mirostat") == 2) {
    while (tokens.size() > 1 && -oracle::log2(tokens.back().p) > mu) tokens.pop_back();
    return;
  }
  double products = 0, squares = 0;
  for (std::size_t i = 0; i + 1 < std::min<std::size_t>(100, tokens.size()); ++i) {
    const double rank = static_cast<double>(i) + 1, t = oracle::log((rank + 1) / rank);
    products += t * oracle::log(tokens[i].p / tokens[i + 1].p);
    squares += t * t;
  }
  if (squares == 0) return;
  const double s = products / squares, epsilon = s - 1;
  const double k = oracle::pow(
      epsilon * oracle::pow(2, mu) / (1 - oracle::pow(static_cast<double>(past.vocab_size), -epsilon)),
      1 / s);
  while (tokens.size() > 1 && static_cast<double>(tokens.size()) > std::floor(k)) tokens.pop_back();
}

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "mirostat",
      .stage = Stage::kMirostat,
      .knobs = {{.name = "mirostat",
                 .type = KnobType::kInt,
                 .lo = 0,
                 .hi = 2,
                 .help = "Steer the surprise of the text to mirostat_tau, by version 1 or 2, in place of the "
                         "other samplers that cut. 0 = off."},
                {.name = "mirostat_tau",
                 .def = 5,
                 .lo = 0,
                 .hi = 1000,
                 .unit = "bits",
                 .help = "The surprise per token that mirostat steers to."},
                {.name = "mirostat_eta",
                 .def = 0.1,
                 .lo = 0,
                 .hi = 1000,
                 .unit = "ratio",
                 .help = "How strongly mirostat reacts to each token."}},
      .is_on = [](const Knobs& knobs) { return knobs.integer("mirostat") != 0; },
      .make = [](const Knobs& knobs, const TokenText&, std::size_t) -> std::unique_ptr<Sampler> {
        return std::make_unique<Mirostat>(knobs.integer("mirostat"), knobs.number("mirostat_tau"),
                                          knobs.number("mirostat_eta"));
      },
      .textbook = textbook,
      .selftest = {R"({"mirostat": 2, "mirostat_tau": 3, "mirostat_eta": 0.5})",
                   R"({"mirostat": 1, "mirostat_tau": 3, "mirostat_eta": 0.5})"},
      .inert = [](const Knobs& knobs) -> std::vector<Inert> {
        if (knobs.integer("mirostat") != 0) return {};
        constexpr std::string_view kWhy = "mirostat is 0, which is off";
        return {{"mirostat_tau", kWhy}, {"mirostat_eta", kWhy}};
      },
      .replaces = [](const Knobs& knobs) -> std::string_view {
        return knobs.integer("mirostat") != 0 ? "mirostat takes its place" : "";
      }};
  return spec;
}

}  // namespace kelda::sampling::mirostat
