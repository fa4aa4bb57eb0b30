// How well a model finds a fact again, by the length of the text and the depth of the fact in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "measure/haystack.h"

namespace kelda::measure {

struct NeedlePlan {
  std::vector<double> depths;    // in [0, 1], ascending, at least one
  std::vector<int64_t> lengths;  // tokens, ascending, at least one
  std::size_t n_facts = 20;      // asked at each depth and length
  uint64_t seed = 1;
};

struct NeedleQuestion {
  std::size_t document = 0;           // the same for questions about the same text, which come in a row
  std::size_t length = 0, depth = 0;  // which of the plan's
  Fact fact;
  std::vector<std::string> other_codes;  // that are in the same text
  std::string message;                   // the text and, as its last paragraph, the question
};

// Every fact at every depth and length. A text has as many facts as there are depths, one at each, and is
// asked about all of them; then they change places. So the text is read once, and each fact has the others as
// distractors.
//   n_tokens: of the prompt that a message makes and of its answer. A text is as long as fits the length to
//   the sentence. Throws kUsage naming --lengths where one has no room for the facts and as many sentences,
//   before the first question is told.
//   each: in order; throws to end it.
void ask_needles(const NeedlePlan& plan, const Filler& filler,
                 const std::function<int64_t(const std::string&)>& n_tokens,
                 const std::function<void(const NeedleQuestion&)>& each);
std::size_t n_questions(const NeedlePlan& plan);

struct Recall {
  int64_t n = 0, n_right = 0;
  int64_t n_confused = 0;  // answered with the code of another fact of the text
};

// What was answered, added up by length and depth.
class NeedleScore {
 public:
  explicit NeedleScore(const NeedlePlan& plan)
      : cells_(plan.lengths.size(), std::vector<Recall>(plan.depths.size())) {}
  // Right if the first number in the answer is the fact's code. Gives whether it is.
  bool add(const NeedleQuestion& question, const std::string& answer);

  const Recall& cell(std::size_t length, std::size_t depth) const { return cells_[length][depth]; }
  Recall of_length(std::size_t length) const;
  Recall of_depth(std::size_t depth) const;
  Recall all() const;

 private:
  std::vector<std::vector<Recall>> cells_;
};

}  // namespace kelda::measure
