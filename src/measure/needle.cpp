#include "measure/needle.h"

#include <algorithm>
#include <span>

#include "base/error.h"

namespace kelda::measure {
namespace {

// Sentences between the beginnings of two texts in the filler, so that texts differ.
constexpr std::size_t kApart = 101;

std::string message_of(const std::string& text, const Fact& fact) {
  return text + "\n\n" + question_about(fact);
}

class Asking {
 public:
  Asking(const NeedlePlan& plan, const Filler& filler,
         const std::function<int64_t(const std::string&)>& n_tokens)
      : plan_(plan), filler_(filler), n_tokens_(n_tokens), n_depths_(plan.depths.size()) {
    const std::size_t n_groups = (plan.n_facts + n_depths_ - 1) / n_depths_;
    facts_ = make_facts(n_groups * n_depths_, plan.seed);
  }

  std::size_t n_texts() const { return facts_.size(); }  // of each length: the groups times the places

  // The facts of a text, by depth: those of the group, moved on by as many places.
  std::vector<Fact> facts_of(std::size_t text) const {
    const std::size_t group = text / n_depths_, moved = text % n_depths_;
    std::vector<Fact> placed(n_depths_);
    for (std::size_t i = 0; i < n_depths_; ++i)
      placed[(i + moved) % n_depths_] = facts_[group * n_depths_ + i];
    return placed;
  }
  // Whether the fact at that depth of the text is one of those to be asked, not a distractor alone.
  bool is_asked(std::size_t text, std::size_t depth) const {
    const std::size_t group = text / n_depths_, moved = text % n_depths_;
    return group * n_depths_ + (depth + n_depths_ - moved) % n_depths_ < plan_.n_facts;
  }

  std::string make(std::size_t text, std::size_t n_sentences) const {
    return haystack(filler_, text * kApart, n_sentences, facts_of(text), plan_.depths);
  }
  bool fits(std::size_t text, std::size_t n_sentences, int64_t length) const {
    const std::string made = make(text, n_sentences);
    const std::vector<Fact> facts = facts_of(text);
    return std::all_of(facts.begin(), facts.end(),
                       [&](const Fact& fact) { return n_tokens_(message_of(made, fact)) <= length; });
  }

  void require_room() const {
    const int64_t shortest = plan_.lengths.front();
    for (std::size_t text = 0; text < n_texts(); ++text) {
      if (fits(text, n_depths_, shortest)) continue;
      int64_t needed = 0;
      const std::string made = make(text, n_depths_);
      for (const Fact& fact : facts_of(text)) needed = std::max(needed, n_tokens_(message_of(made, fact)));
      fail(ErrorCode::kUsage,
           "--lengths: {} tokens have no room for a fact and a sentence at each depth and a question: at "
           "least "
           "{} are needed",
           shortest, needed);
    }
  }

  // The longest text of at most that length.
  std::string longest(std::size_t text, int64_t length) const {
    std::size_t most = n_depths_, too_many = 2 * n_depths_;
    while (fits(text, too_many, length)) {
      most = too_many;
      too_many *= 2;
    }
    while (too_many - most > 1) {
      const std::size_t middle = most + (too_many - most) / 2;
      (fits(text, middle, length) ? most : too_many) = middle;
    }
    return make(text, most);
  }

 private:
  const NeedlePlan& plan_;
  const Filler& filler_;
  const std::function<int64_t(const std::string&)>& n_tokens_;
  std::size_t n_depths_;
  std::vector<Fact> facts_;
};

void add(Recall& sum, const Recall& part) {
  sum.n += part.n;
  sum.n_right += part.n_right;
  sum.n_confused += part.n_confused;
}

}  // namespace

void ask_needles(const NeedlePlan& plan, const Filler& filler,
                 const std::function<int64_t(const std::string&)>& n_tokens,
                 const std::function<void(const NeedleQuestion&)>& each) {
  const Asking asking(plan, filler, n_tokens);
  asking.require_room();
  std::size_t document = 0;
  for (std::size_t length = 0; length < plan.lengths.size(); ++length) {
    for (std::size_t text = 0; text < asking.n_texts(); ++text, ++document) {
      const std::string made = asking.longest(text, plan.lengths[length]);
      const std::vector<Fact> facts = asking.facts_of(text);
      for (std::size_t depth = 0; depth < facts.size(); ++depth) {
        if (!asking.is_asked(text, depth)) continue;
        NeedleQuestion question{document, length, depth, facts[depth], {}, message_of(made, facts[depth])};
        for (const Fact& other : facts)
          if (other.code != facts[depth].code) question.other_codes.push_back(other.code);
        each(question);
      }
    }
  }
}

std::size_t n_questions(const NeedlePlan& plan) {
  return plan.lengths.size() * plan.depths.size() * plan.n_facts;
}

bool NeedleScore::add(const NeedleQuestion& question, const std::string& answer) {
  Recall& cell = cells_[question.length][question.depth];
  const std::string_view number = first_number(answer);
  const bool right = number == question.fact.code;
  const auto& others = question.other_codes;
  ++cell.n;
  cell.n_right += right ? 1 : 0;
  cell.n_confused += std::find(others.begin(), others.end(), number) != others.end() ? 1 : 0;
  return right;
}

Recall NeedleScore::of_length(std::size_t length) const {
  Recall sum;
  for (const Recall& cell : cells_[length]) measure::add(sum, cell);
  return sum;
}

Recall NeedleScore::of_depth(std::size_t depth) const {
  Recall sum;
  for (const auto& row : cells_) measure::add(sum, row[depth]);
  return sum;
}

Recall NeedleScore::all() const {
  Recall sum;
  for (std::size_t length = 0; length < cells_.size(); ++length) measure::add(sum, of_length(length));
  return sum;
}

}  // namespace kelda::measure
