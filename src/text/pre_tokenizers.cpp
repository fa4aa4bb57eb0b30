#include "text/pre_tokenizers.h"

#include <fmt/ranges.h>

#include <string>

#include "base/check.h"
#include "base/error.h"
#include "base/quote.h"

namespace kelda::text {
namespace {

// The contractions, words, numbers, other signs, and blanks of GPT-2; the last blank goes with what follows
// it.
//   Source: Radford et al. 2019, released with the model's code.
constexpr std::string_view kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view kEachDigit = R"(\p{Digit})";

constexpr std::string_view kGpt2Steps[] = {kGpt2};
constexpr std::string_view kDigitsThenGpt2[] = {kEachDigit, kGpt2};

constexpr PreTokenizerRow kRows[] = {
    {"gpt-2", kGpt2Steps},
    {"gpt2", kGpt2Steps},
    {"smollm", kDigitsThenGpt2},
    {"starcoder", kDigitsThenGpt2},
};

}  // namespace

std::span<const PreTokenizerRow> pre_tokenizer_rows() { return kRows; }

PreTokenizer::PreTokenizer(std::string_view name) {
  for (const PreTokenizerRow& row : kRows) {
    if (row.name != name) continue;
    for (const std::string_view expression : row.expressions) steps_.emplace_back(expression);
    return;
  }
  std::vector<std::string_view> known;
  for (const PreTokenizerRow& row : kRows) known.push_back(row.name);
  fail(ErrorCode::kUnsupported, "tokenizer.ggml.pre: {}; known: {}",
       name.empty() ? "the key is missing" : fmt::format("no pre-tokenizer {}", quote(name)),
       fmt::join(known, ", "));
}

PreTokenizer::Cutter::Cutter(const PreTokenizer& p) {
  for (const Regex& step : p.steps_) steps_.emplace_back(step);
}

void PreTokenizer::Cutter::cut(std::string_view text, std::size_t step,
                               const std::function<void(std::string_view)>& piece) {
  if (step == steps_.size()) {
    piece(text);
    return;
  }
  std::size_t done = 0;
  while (done < text.size()) {
    const auto match = steps_[step].find(text, done);
    if (!match) break;
    KELDA_CHECK(match->end > match->begin);  // no expression of the table matches nothing
    if (match->begin > done) cut(text.substr(done, match->begin - done), step + 1, piece);
    cut(text.substr(match->begin, match->end - match->begin), step + 1, piece);
    done = match->end;
  }
  if (done < text.size()) cut(text.substr(done), step + 1, piece);
}

}  // namespace kelda::text
