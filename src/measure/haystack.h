// Texts in which facts are to be found again: sentences of no consequence, and among them, at stated depths,
// facts that all have the same form, so that each is a distractor of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kelda::measure {

// "The secret number of Mira Solberg is 48173."
struct Fact {
  std::string name, code;
};
std::string sentence_of(const Fact& fact);
std::string question_about(const Fact& fact);

// Names and codes from a seed, each code once and each name once. n ≤ kMostFacts (KELDA_CHECK).
inline constexpr std::size_t kMostFacts = 1600;
std::vector<Fact> make_facts(std::size_t n, uint64_t seed);

// The first number in an answer, as it is written; empty if there is none.
std::string_view first_number(std::string_view answer);

// Sentences without end, the same for the same number.
class Filler {
 public:
  // Our own, put together from short lists; none has a number in it.
  explicit Filler(uint64_t seed) : seed_(seed) {}
  // Those of a text, over and over. Throws kBadInput where it has none.
  explicit Filler(std::string_view text);
  std::string sentence(std::size_t number) const;

 private:
  uint64_t seed_ = 0;
  std::vector<std::string> sentences_;  // empty: our own
};

// `n_sentences` of the filler from number `first` on, and facts[i] at depths[i]: a depth of d comes behind
// the share d of the sentences. Six sentences are a paragraph.
std::string haystack(const Filler& filler, std::size_t first, std::size_t n_sentences,
                     std::span<const Fact> facts, std::span<const double> depths);

}  // namespace kelda::measure
