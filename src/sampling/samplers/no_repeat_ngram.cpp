// No repeated n-grams: bans each token that would complete a run of n tokens which the text has already.
// Source: Paulus et al. 2017 (arXiv 1705.04304), section 2.5.
#include <set>

#include "sampling/oracle.h"
#include "sampling/repeats.h"
#include "sampling/sampler.h"

namespace kelda::sampling::no_repeat_ngram {
namespace {

class NoRepeatNgram final : public Sampler {
 public:
  NoRepeatNgram(std::size_t n, bool output_only) : n_(n), output_only_(output_only) {}

  void apply(Candidates& candidates, const History& history, const DrawKey&) override {
    repeats_.assign(output_only_ ? history.output() : history);
    for (std::size_t k = 1; k < repeats_.size(); ++k) {
      if (repeats_.repeated_before(k) + 1 >= n_) candidates.ban(repeats_.back(k - 1));
    }
    // A run of one needs nothing before it, so the first token of the text counts too.
    if (n_ == 1 && repeats_.size() > 0) candidates.ban(repeats_.back(repeats_.size() - 1));
    candidates.drop_banned();
  }

 private:
  std::size_t n_;
  bool output_only_;
  Repeats repeats_;
};

void textbook(std::vector<TextbookToken>& tokens, const TextbookPast& past, const Knobs& knobs) {
  const std::vector<TokenId> text = oracle::text_of(past, -1, !knobs.boolean("no_repeat_ngram_output_only"));
  const auto n = static_cast<std::size_t>(knobs.integer("no_repeat_ngram_size"));
  std::set<std::vector<TokenId>> runs;
  for (std::size_t i = 0; i + n <= text.size(); ++i) runs.emplace(text.data() + i, text.data() + i + n);
  if (text.size() + 1 < n) return;
  std::vector<TokenId> next(text.end() - static_cast<std::ptrdiff_t>(n - 1), text.end());
  next.push_back(0);
  std::erase_if(tokens, [&](const TextbookToken& t) {
    next.back() = t.id;
    return runs.count(next) > 0;
  });
}

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "no_repeat_ngram",
      .stage = Stage::kNoRepeatNgram,
      .knobs = {{.name = "no_repeat_ngram_size",
                 .type = KnobType::kInt,
                 .lo = 0,
                 .hi = 2147483647,
                 .unit = "tokens",
                 .help = "No run of so many tokens of prompt and output comes up again. 0 = off."},
                {.name = "no_repeat_ngram_output_only",
                 .type = KnobType::kBool,
                 .help = "Runs of the prompt may come up again."}},
      .is_on = [](const Knobs& knobs) { return knobs.integer("no_repeat_ngram_size") != 0; },
      .make = [](const Knobs& knobs, const TokenText&, std::size_t) -> std::unique_ptr<Sampler> {
        return std::make_unique<NoRepeatNgram>(
            static_cast<std::size_t>(knobs.integer("no_repeat_ngram_size")),
            knobs.boolean("no_repeat_ngram_output_only"));
      },
      .textbook = textbook,
      .selftest = {R"({"no_repeat_ngram_size": 3})", R"({"no_repeat_ngram_size": 1})",
                   R"({"no_repeat_ngram_size": 2, "no_repeat_ngram_output_only": true})"},
      .inert = [](const Knobs& knobs) -> std::vector<Inert> {
        if (knobs.integer("no_repeat_ngram_size") != 0) return {};
        return {{"no_repeat_ngram_output_only", "no_repeat_ngram_size is 0, which is off"}};
      }};
  return spec;
}

}  // namespace kelda::sampling::no_repeat_ngram
