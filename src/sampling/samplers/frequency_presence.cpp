// Frequency and presence penalties: subtract from the logits of generated tokens, per occurrence and once.
// Source: the OpenAI API reference, "frequency_penalty" and "presence_penalty". Window and prompt are
// llama.cpp's way of counting.
#include <algorithm>
#include <utility>

#include "sampling/oracle.h"
#include "sampling/sampler.h"

namespace kelda::sampling::frequency_presence {
namespace {

struct Settings {
  double frequency, presence;
  int64_t window;  // how many of the last tokens count; −1: all
  bool prompt;     // whether those of the prompt count too
};

class FrequencyPresence final : public Sampler {
 public:
  explicit FrequencyPresence(const Settings& settings) : s_(settings) {}

  void apply(Candidates& candidates, const History& history, const DrawKey&) override {
    if (counts_.size() != candidates.vocab_size()) counts_.assign(candidates.vocab_size(), 0);
    const History counted = (s_.prompt ? history : history.output()).last(s_.window);
    count(counted.generated);
    count(counted.prompt);
    penalize(candidates, counted.generated);
    penalize(candidates, counted.prompt);
  }

 private:
  bool in_range(TokenId id) const { return id >= 0 && static_cast<std::size_t>(id) < counts_.size(); }

  void count(std::span<const TokenId> ids) {
    for (const TokenId id : ids) {
      if (in_range(id)) ++counts_[static_cast<std::size_t>(id)];
    }
  }

  void penalize(Candidates& candidates, std::span<const TokenId> ids) {
    for (const TokenId id : ids) {
      if (!in_range(id)) continue;
      const uint32_t n =
          std::exchange(counts_[static_cast<std::size_t>(id)], 0);  // 0 again for the next draw
      Candidate* c = n > 0 ? candidates.find(id) : nullptr;
      if (c != nullptr)
        c->logit = finite_logit(static_cast<double>(c->logit) - (s_.frequency * n + s_.presence));
    }
  }

  Settings s_;
  std::vector<uint32_t> counts_;  // by id; all zero between draws
};

void textbook(std::vector<TextbookToken>& tokens, const TextbookPast& past, const Knobs& knobs) {
  const std::vector<TokenId> text =
      oracle::text_of(past, knobs.integer("frequency_window"), knobs.boolean("frequency_prompt"));
  for (TextbookToken& t : tokens) {
    const auto n = std::count(text.begin(), text.end(), t.id);
    if (n == 0) continue;
    t.logit -= knobs.number("frequency_penalty") * static_cast<double>(n);
    t.logit -= knobs.number("presence_penalty");
  }
}

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "frequency_presence",
      .stage = Stage::kFrequencyPresence,
      .knobs = {{.name = "frequency_penalty",
                 .lo = -2,
                 .hi = 2,
                 .unit = "logits",
                 .help = "Subtracted from a token's logit for each time it is in the output. 0 = off."},
                {.name = "presence_penalty",
                 .lo = -2,
                 .hi = 2,
                 .unit = "logits",
                 .help = "Subtracted once from the logit of each token that is in the output. 0 = off."},
                {.name = "frequency_window",
                 .type = KnobType::kInt,
                 .def = -1,
                 .lo = -1,
                 .hi = 2147483647,
                 .unit = "tokens",
                 .help =
                     "How many of the last tokens the frequency and presence penalties look at. -1 = all; "
                     "0 = off."},
                {.name = "frequency_prompt",
                 .type = KnobType::kBool,
                 .help = "Frequency and presence penalties count the tokens of the prompt too."}},
      .is_on =
          [](const Knobs& knobs) {
            return (knobs.number("frequency_penalty") != 0 || knobs.number("presence_penalty") != 0) &&
                   knobs.integer("frequency_window") != 0;
          },
      .make = [](const Knobs& knobs, const TokenText&, std::size_t) -> std::unique_ptr<Sampler> {
        return std::make_unique<FrequencyPresence>(
            Settings{knobs.number("frequency_penalty"), knobs.number("presence_penalty"),
                     knobs.integer("frequency_window"), knobs.boolean("frequency_prompt")});
      },
      .textbook = textbook,
      .selftest = {R"({"frequency_penalty": 0.3, "presence_penalty": 0.4})", R"({"frequency_penalty": 0.7})",
                   R"({"presence_penalty": 1.2, "frequency_window": 4})",
                   R"({"frequency_penalty": 0.5, "frequency_prompt": true, "frequency_window": 9})"},
      .inert = [](const Knobs& knobs) -> std::vector<Inert> {
        if (knobs.number("frequency_penalty") == 0 && knobs.number("presence_penalty") == 0) {
          constexpr std::string_view kWhy = "frequency_penalty and presence_penalty are 0, which is off";
          return {{"frequency_window", kWhy}, {"frequency_prompt", kWhy}};
        }
        if (knobs.integer("frequency_window") == 0) {
          constexpr std::string_view kWhy = "frequency_window is 0, which is off";
          return {{"frequency_penalty", kWhy}, {"presence_penalty", kWhy}, {"frequency_prompt", kWhy}};
        }
        return {};
      }};
  return spec;
}

}  // namespace kelda::sampling::frequency_presence
