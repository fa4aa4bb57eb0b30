// Top-k: keeps the k likeliest tokens, ties by the lowest id. Source: Fan et al. 2018 (arXiv 1805.04833),
// section 5.2.
#include "sampling/sampler.h"

namespace kelda::sampling::top_k {
namespace {

class TopK final : public Sampler {
 public:
  explicit TopK(std::size_t k) : k_(k) {}

  void apply(Candidates& candidates, const History&, const DrawKey&) override { candidates.keep_best(k_); }

 private:
  std::size_t k_;
};

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "top_k",
      .stage = Stage::kTopK,
      .knobs = {{.name = "top_k",
                 .type = KnobType::kInt,
                 .def = 0,
                 .lo = 0,
                 .hi = 2147483647,
                 .unit = "tokens",
                 .help = "Keep only this many of the likeliest tokens. 0 = off."}},
      .is_on = [](const Knobs& knobs) { return knobs.integer("top_k") != 0; },
      .make = [](const Knobs& knobs, const TokenText&, std::size_t) -> std::unique_ptr<Sampler> {
        return std::make_unique<TopK>(static_cast<std::size_t>(knobs.integer("top_k")));
      },
      .textbook =
          [](std::vector<TextbookToken>& tokens, const TextbookPast&, const Knobs& knobs) {
            const int64_t k = knobs.integer("top_k");
            while (static_cast<int64_t>(tokens.size()) > k) tokens.pop_back();
          },
      .selftest = {R"({"top_k": 30})", R"({"top_k": 12})"},
      .decides = [](const Knobs& knobs) -> std::string_view {
        return knobs.integer("top_k") == 1 ? "top_k 1 leaves only the likeliest token" : "";
      },
      .by_order = true};
  return spec;
}

}  // namespace kelda::sampling::top_k
