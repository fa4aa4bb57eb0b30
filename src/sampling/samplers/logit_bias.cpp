// Logit bias: adds to the logits of named tokens; the lowest bias bans.
#include <utility>

#include "base/error.h"
#include "sampling/sampler.h"

namespace kelda::sampling::logit_bias {
namespace {

constexpr double kBan = -100, kLargest = 100;

class LogitBias final : public Sampler {
 public:
  explicit LogitBias(const TokenBias& biases) : biases_(biases.begin(), biases.end()) {}

  void apply(Candidates& candidates, const History&, const DrawKey&) override {
    for (const auto& [id, bias] : biases_) {
      if (bias <= kBan) {  // −100 alone would leave the token reachable at a high temperature
        candidates.ban(id);
      } else if (Candidate* c = candidates.find(id)) {
        c->logit = finite_logit(static_cast<double>(c->logit) + bias);
      }
    }
    candidates.drop_banned();
  }

 private:
  std::vector<std::pair<int32_t, double>> biases_;
};

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "logit_bias",
      .stage = Stage::kLogitBias,
      .knobs = {{.name = "logit_bias",
                 .type = KnobType::kTokenBias,
                 .lo = kBan,
                 .hi = kLargest,
                 .max_items = 1024,
                 .unit = "logits",
                 .help = "Added to the logits of these token ids: {\"id\": bias}. -100 bans the token."}},
      .is_on = [](const Knobs& knobs) { return !knobs.token_bias("logit_bias").empty(); },
      .make = [](const Knobs& knobs, const TokenText&, std::size_t vocab_size) -> std::unique_ptr<Sampler> {
        const TokenBias& biases = knobs.token_bias("logit_bias");
        const int32_t largest = biases.rbegin()->first;
        if (static_cast<std::size_t>(largest) >= vocab_size) {
          fail(ErrorCode::kUsage, "logit_bias names the token id {}; the model's ids are 0 to {}", largest,
               vocab_size - 1);
        }
        return std::make_unique<LogitBias>(biases);
      },
      .textbook =
          [](std::vector<TextbookToken>& tokens, const TextbookPast&, const Knobs& knobs) {
            for (const auto& [id, bias] : knobs.token_bias("logit_bias")) {
              std::erase_if(tokens, [&](const TextbookToken& t) { return t.id == id && bias == kBan; });
              for (TextbookToken& t : tokens) t.logit += t.id == id ? bias : 0;
            }
          },
      .selftest = {R"({"logit_bias": {"3": -100, "5": 2.5, "7": -1, "40": 4}})"}};
  return spec;
}

}  // namespace kelda::sampling::logit_bias
