// Typical-p: keeps the fewest tokens that add up to p, beginning with those whose surprise is nearest to the
// one to be expected. The likeliest token may be among those that go.
// Source: Meister et al. 2022 (arXiv 2202.00666), section 3.
#include <algorithm>
#include <cmath>

#include "sampling/oracle.h"
#include "sampling/sampler.h"
#include "sampling/shortest_prefix.h"
#include "sampling/softmax.h"

namespace kelda::sampling::typical_p {
namespace {

class TypicalP final : public Sampler {
 public:
  explicit TypicalP(double p) : p_(p) {}

  // The surprise of a token is its distance to the best logit and the log of the total, and the expected
  // surprise has the same log in it: the difference needs neither a logarithm nor the probabilities.
  void apply(Candidates& candidates, const History&, const DrawKey&) override {
    prefix_.reserve(candidates.vocab_size());
    weights_.reserve(candidates.vocab_size());
    const auto max = candidates.best().logit;
    weights_.assign(candidates.all(), max);
    const auto below_best = [max](const Candidate& c) {
      return static_cast<double>(max) - static_cast<double>(c.logit);
    };
    double expected = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const double weight = weights_.each()[i];
      if (weight > 0) expected += weight * below_best(candidates.all()[i]);
    }
    expected /= weights_.total();
    prefix_.keep(candidates, weights_, p_ * weights_.total(),
                 [&](const Candidate& c) { return std::abs(below_best(c) - expected); });
  }

 private:
  double p_;
  Weights weights_;
  ShortestPrefix prefix_;
};

void textbook(std::vector<TextbookToken>& tokens, const TextbookPast&, const Knobs& knobs) {
  double entropy = 0;
  for (const TextbookToken& t : tokens) entropy -= t.p > 0 ? t.p * oracle::log(t.p) : 0;
  // Best first they are already, and the sort is stable: what rounding alone tells apart is a tie.
  const auto distance = [entropy](const TextbookToken& t) {
    return std::nearbyint(1e9 * std::abs(-oracle::log(t.p) - entropy));
  };
  std::stable_sort(tokens.begin(), tokens.end(),
                   [&](const TextbookToken& a, const TextbookToken& b) { return distance(a) < distance(b); });
  double mass = 0;
  auto end = tokens.begin();
  while (end != tokens.end() && mass < knobs.number("typical_p")) mass += (end++)->p;
  tokens.erase(end, tokens.end());
}

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "typical_p",
      .stage = Stage::kTypicalP,
      .knobs = {{.name = "typical_p",
                 .def = 1,
                 .lo = 0,
                 .hi = 1,
                 .lo_open = true,
                 .unit = "ratio",
                 .help = "Keep the fewest tokens that add up to at least this, those first whose surprise is "
                         "nearest to the expected one. 1 = off."}},
      .is_on = [](const Knobs& knobs) { return knobs.number("typical_p") != 1; },
      .make = [](const Knobs& knobs, const TokenText&, std::size_t) -> std::unique_ptr<Sampler> {
        return std::make_unique<TypicalP>(knobs.number("typical_p"));
      },
      .textbook = textbook,
      .selftest = {R"({"typical_p": 0.9})", R"({"typical_p": 0.4})"},
      .may_drop_best = true};
  return spec;
}

}  // namespace kelda::sampling::typical_p
