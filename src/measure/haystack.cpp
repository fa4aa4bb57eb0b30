#include "measure/haystack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/check.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/trim.h"
#include "measure/haystack_words.h"

namespace kelda::measure {
namespace {

constexpr std::size_t kParagraph = 6;  // sentences

// What random numbers are drawn for: one stream each.
enum Stream : uint32_t { kOrderOfFirstNames, kOrderOfFamilyNames, kCodes, kSentences };

std::size_t below(std::size_t n, uint64_t seed, Stream stream, std::size_t at, uint32_t draw = 0) {
  const double u = uniform({seed, stream, static_cast<uint32_t>(at)}, draw);
  return std::min(n - 1, static_cast<std::size_t>(u * static_cast<double>(n)));
}

// 0 to n − 1, shuffled (Fisher and Yates).
std::vector<std::size_t> shuffled(std::size_t n, uint64_t seed, Stream stream) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[below(i, seed, stream, i)]);
  return order;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A text's sentences: up to a mark and a blank, or an empty line. Blanks become one space each.
std::vector<std::string> sentences_of(std::string_view text) {
  std::vector<std::string> sentences;
  std::string sentence;
  const auto end = [&] {
    const std::string_view whole = trimmed(sentence);
    if (!whole.empty()) sentences.emplace_back(whole);
    sentence.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool blank = text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r');
    if (!blank) {
      sentence += text[i];
      continue;
    }
    const char last = sentence.empty() ? ' ' : sentence.back();
    const bool empty_line = text[i] == '\n' && i + 1 < text.size() && text[i + 1] == '\n';
    if (last == '.' || last == '!' || last == '?' || empty_line) {
      end();
    } else if (last != ' ') {
      sentence += ' ';
    }
  }
  end();
  return sentences;
}

}  // namespace

std::string sentence_of(const Fact& fact) {
  return fmt::format("The secret number of {} is {}.", fact.name, fact.code);
}

std::string question_about(const Fact& fact) {
  return fmt::format("What is the secret number of {}? Answer with the number.", fact.name);
}

std::vector<Fact> make_facts(std::size_t n, uint64_t seed) {
  static_assert(kMostFacts == kFirstNames.size() * kFamilyNames.size());
  KELDA_CHECK(n <= kMostFacts);
  const auto first = shuffled(kFirstNames.size(), seed, kOrderOfFirstNames);
  const auto family = shuffled(kFamilyNames.size(), seed, kOrderOfFamilyNames);
  std::set<std::size_t> used;
  std::vector<Fact> facts;
  for (std::size_t i = 0; i < n; ++i) {
    // Neighbours, which come into one text, share neither of their names.
    const std::size_t round = i / kFirstNames.size();
    const std::string_view family_name = kFamilyNames[family[(i + round) % kFamilyNames.size()]];
    std::size_t code = 0;
    for (uint32_t draw = 0; code == 0 || !used.insert(code).second; ++draw)
      code = 10000 + below(90000, seed, kCodes, i, draw);
    facts.push_back({fmt::format("{} {}", kFirstNames[first[i % kFirstNames.size()]], family_name),
                     fmt::format("{}", code)});
  }
  return facts;
}

std::string_view first_number(std::string_view answer) {
  const auto begin = std::find_if(answer.begin(), answer.end(), is_digit);
  const auto end = std::find_if_not(begin, answer.end(), is_digit);
  return answer.substr(static_cast<std::size_t>(begin - answer.begin()),
                       static_cast<std::size_t>(end - begin));
}

Filler::Filler(std::string_view text) : sentences_(sentences_of(text)) {
  if (sentences_.empty()) fail(ErrorCode::kBadInput, "there is no sentence in it");
}

std::string Filler::sentence(std::size_t number) const {
  if (!sentences_.empty()) return sentences_[number % sentences_.size()];
  const auto pick = [&](const auto& list, uint32_t draw) {
    return list[below(list.size(), seed_, kSentences, number, draw)];
  };
  return fmt::format("{} {} {}.", pick(kWho, 0), pick(kDid, 1), pick(kWhere, 2));
}

std::string haystack(const Filler& filler, std::size_t first, std::size_t n_sentences,
                     std::span<const Fact> facts, std::span<const double> depths) {
  KELDA_CHECK(facts.size() == depths.size());
  std::vector<std::vector<std::string>> before(n_sentences + 1);  // facts in front of each sentence
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const auto at = static_cast<std::size_t>(std::lround(depths[i] * static_cast<double>(n_sentences)));
    before[std::min(at, n_sentences)].push_back(sentence_of(facts[i]));
  }
  std::string text;
  std::size_t n = 0;
  const auto add = [&](const std::string& sentence) {
    text += (n == 0 ? "" : n % kParagraph == 0 ? "\n\n" : " ") + sentence;
    ++n;
  };
  for (std::size_t i = 0; i <= n_sentences; ++i) {
    for (const std::string& fact : before[i]) add(fact);
    if (i < n_sentences) add(filler.sentence(first + i));
  }
  return text;
}

}  // namespace kelda::measure
