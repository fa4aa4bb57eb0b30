// Repetition penalty: makes what has been said less likely, once per token, however often it was said.
// Source: Keskar et al. 2019 (arXiv 1909.05858), section 4.1; negative logits are multiplied, as dividing
// would raise them.
#include <algorithm>
#include <set>

#include "sampling/oracle.h"
#include "sampling/sampler.h"

namespace kelda::sampling::repetition_penalty {
namespace {

class RepetitionPenalty final : public Sampler {
 public:
  // window: how many of the last tokens count; −1: all.
  RepetitionPenalty(double penalty, int64_t window) : penalty_(penalty), window_(window) {}

  void apply(Candidates& candidates, const History& history, const DrawKey&) override {
    if (seen_in_.size() != candidates.vocab_size()) seen_in_.assign(candidates.vocab_size(), 0);
    if (++round_ == 0) {  // the counter came round: old marks would look new
      std::fill(seen_in_.begin(), seen_in_.end(), 0);
      round_ = 1;
    }
    const History counted = history.last(window_);
    penalize(candidates, counted.generated);
    penalize(candidates, counted.prompt);
  }

 private:
  void penalize(Candidates& candidates, std::span<const TokenId> ids) {
    for (const TokenId id : ids) {
      const auto index = static_cast<std::size_t>(id);
      if (id < 0 || index >= seen_in_.size() || seen_in_[index] == round_) continue;
      seen_in_[index] = round_;
      Candidate* c = candidates.find(id);
      if (c == nullptr) continue;
      const auto logit = static_cast<double>(c->logit);
      c->logit = finite_logit(logit > 0 ? logit / penalty_ : logit * penalty_);
    }
  }

  double penalty_;
  int64_t window_;
  std::vector<uint32_t> seen_in_;  // by id: the round in which it was last penalised
  uint32_t round_ = 0;
};

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "repetition_penalty",
      .stage = Stage::kRepetitionPenalty,
      .knobs = {{.name = "repetition_penalty",
                 .def = 1,
                 .lo = 0,
                 .hi = kUnbounded,
                 .lo_open = true,
                 .unit = "factor",
                 .help = "Divides positive and multiplies negative logits of tokens in the prompt and the "
                         "output, once "
                         "per token. Above 1 discourages repeating; 1 = off."},
                {.name = "repetition_window",
                 .type = KnobType::kInt,
                 .def = -1,
                 .lo = -1,
                 .hi = 2147483647,
                 .unit = "tokens",
                 .help = "How many of the last tokens the repetition penalty looks at. -1 = all; 0 = off."}},
      .is_on =
          [](const Knobs& knobs) {
            return knobs.number("repetition_penalty") != 1 && knobs.integer("repetition_window") != 0;
          },
      .make = [](const Knobs& knobs, const TokenText&, std::size_t) -> std::unique_ptr<Sampler> {
        return std::make_unique<RepetitionPenalty>(knobs.number("repetition_penalty"),
                                                   knobs.integer("repetition_window"));
      },
      .textbook =
          [](std::vector<TextbookToken>& tokens, const TextbookPast& past, const Knobs& knobs) {
            const double penalty = knobs.number("repetition_penalty");
            const auto text = oracle::text_of(past, knobs.integer("repetition_window"), true);
            const std::set<TokenId> said(text.begin(), text.end());
            for (TextbookToken& t : tokens) {
              if (said.count(t.id) > 0) t.logit = t.logit < 0 ? t.logit * penalty : t.logit / penalty;
            }
          },
      .selftest = {R"({"repetition_penalty": 1.5})",
                   R"({"repetition_penalty": 1.8, "repetition_window": 6})"},
      .inert = [](const Knobs& knobs) -> std::vector<Inert> {
        if (knobs.number("repetition_penalty") == 1)
          return {{"repetition_window", "repetition_penalty is 1, which is off"}};
        if (knobs.integer("repetition_window") == 0)
          return {{"repetition_penalty", "repetition_window is 0, which is off"}};
        return {};
      }};
  return spec;
}

}  // namespace kelda::sampling::repetition_penalty
