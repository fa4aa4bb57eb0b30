// Bad words: bans the last token of a word's ids where the output ends with those before it. The ids are the
// tokenizer's for the word and for the word after a blank; a word that is cut otherwise passes, which is what
// bad_strings are for.
// Source: vLLM, SamplingParams.bad_words.
#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/quote.h"
#include "sampling/sampler.h"

namespace kelda::sampling::bad_words {
namespace {

using Ids = std::vector<TokenId>;

class BadWords final : public Sampler {
 public:
  explicit BadWords(std::vector<Ids> words) : words_(std::move(words)) {}

  void apply(Candidates& candidates, const History& history, const DrawKey&) override {
    for (const Ids& word : words_) {
      const std::size_t n = word.size() - 1;
      if (n > history.generated.size()) continue;
      const auto tail = history.generated.last(n);
      if (std::equal(tail.begin(), tail.end(), word.begin())) candidates.ban(word.back());
    }
    candidates.drop_banned();
  }

 private:
  std::vector<Ids> words_;  // none is empty
};

std::vector<Ids> ids_of(const std::vector<std::string>& words, const TokenText& text) {
  KELDA_CHECK(text.encode);
  std::vector<Ids> out;
  for (const std::string& word : words) {
    for (const std::string& form : {word, " " + word}) {
      Ids ids = text.encode(form);
      if (ids.empty()) fail(ErrorCode::kUsage, "bad_words: {} has no token in this vocabulary", quote(word));
      out.push_back(std::move(ids));
    }
  }
  return out;
}

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "bad_words",
      .stage = Stage::kBadWords,
      .knobs = {{.name = "bad_words",
                 .type = KnobType::kTextList,
                 .max_items = 256,
                 .max_bytes = 256,
                 .help = "The output does not get the last token of these words, as the tokenizer cuts them "
                         "with or without a blank before them."}},
      .is_on = [](const Knobs& knobs) { return !knobs.texts("bad_words").empty(); },
      .make = [](const Knobs& knobs, const TokenText& text, std::size_t) -> std::unique_ptr<Sampler> {
        return std::make_unique<BadWords>(ids_of(knobs.texts("bad_words"), text));
      },
      .textbook =
          [](std::vector<TextbookToken>& tokens, const TextbookPast& past, const Knobs& knobs) {
            const std::span<const TokenId> said = past.history.generated;
            for (const std::string& word : knobs.texts("bad_words")) {
              for (const std::string& form : {word, " " + word}) {
                const Ids ids = past.text.encode(form);
                bool begun = ids.size() <= said.size() + 1;
                for (std::size_t i = 0; begun && i + 1 < ids.size(); ++i)
                  begun = said[said.size() - ids.size() + 1 + i] == ids[i];
                std::erase_if(tokens, [&](const TextbookToken& t) { return begun && t.id == ids.back(); });
              }
            }
          },
      .selftest = {R"({"bad_words": ["wtc", "g"]})"}};
  return spec;
}

}  // namespace kelda::sampling::bad_words
