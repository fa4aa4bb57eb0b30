// Top-p (nucleus): keeps the shortest prefix of the tokens, best first and ties by the lowest id, whose
// probabilities add up to at least p. Source: Holtzman et al. 2019 (arXiv 1904.09751), section 3.1.
#include <algorithm>
#include <array>
#include <bit>

#include "sampling/sampler.h"
#include "sampling/softmax.h"

namespace kelda::sampling::top_p {
namespace {

// Sorting a whole vocabulary costs more than everything else here. So weights are first summed in buckets by
// their distance from the best logit; only the bucket in which the sum passes p is sorted. A bucket is the
// leading bits of the distance as a float: 32 to each doubling, whatever the scale of the logits.
class TopP final : public Sampler {
 public:
  explicit TopP(double p) : p_(p) {}

  void apply(Candidates& candidates, const History&) override {
    const float max = candidates.best().logit;
    inside_.reserve(candidates.vocab_size());
    weights_.reserve(candidates.vocab_size());
    weights_.assign(candidates.all(), max);
    sums_.fill(0);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      sums_[bucket_of(candidates.all()[i], max)] += weights_.each()[i];
    }
    const double wanted = p_ * weights_.total();
    double mass = 0;
    std::size_t bucket = 0;
    while (bucket < kBuckets && mass + sums_[bucket] < wanted) mass += sums_[bucket++];
    if (bucket == kBuckets) return;  // the total was rounded up past the sum of the buckets: p is all but 1

    inside_.clear();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Candidate& c = candidates.all()[i];
      if (bucket_of(c, max) == bucket) inside_.push_back({c, weights_.each()[i]});
    }
    std::sort(inside_.begin(), inside_.end(),
              [](const Inside& a, const Inside& b) { return better(a.c, b.c); });
    std::size_t last = 0;
    for (mass += inside_[0].weight; mass < wanted && last + 1 < inside_.size();)
      mass += inside_[++last].weight;
    candidates.keep_down_to(inside_[last].c);
  }

 private:
  struct Inside {
    Candidate c;
    double weight;
  };
  // Distances below 2^-20 share the first bucket; those from 2^10, whose weight is 0, the last.
  static constexpr int kDroppedBits = 18;  // of a float's 32: leaves 8 bits of exponent and 5 of mantissa
  static constexpr uint32_t kFirst = (127u - 20) << 5, kLast = (127u + 10) << 5;
  static constexpr std::size_t kBuckets = kLast - kFirst + 1;

  static std::size_t bucket_of(const Candidate& c, float max) {
    return std::clamp(std::bit_cast<uint32_t>(max - c.logit) >> kDroppedBits, kFirst, kLast) - kFirst;
  }

  double p_;
  Weights weights_;
  std::array<double, kBuckets> sums_;
  std::vector<Inside> inside_;
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
      .make = [](const Knobs& knobs) -> std::unique_ptr<Sampler> {
        const double p = knobs.number("top_p");
        if (p == 1) return nullptr;
        return std::make_unique<TopP>(p);
      },
      .textbook =
          [](std::vector<TextbookToken>& tokens, const History&, const Knobs& knobs) {
            if (knobs.number("top_p") == 1) return;
            double mass = 0;
            auto end = tokens.begin();
            while (end != tokens.end() && mass < knobs.number("top_p")) mass += (end++)->p;
            tokens.erase(end, tokens.end());
          },
      .selftest = {R"({"top_p": 0.97})", R"({"top_p": 0.6})"}};
  return spec;
}

}  // namespace kelda::sampling::top_p
