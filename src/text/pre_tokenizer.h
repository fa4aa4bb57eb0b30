// Cutting text into the pieces within which merges may happen: a row of steps, each of which cuts what the
// one before left.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "text/regex.h"

namespace kelda::text {

// What becomes of the matches of an expression: pieces of their own, dropped, joined to the piece before or
// after, or joined to each other where they touch. The text between matches makes pieces, too.
enum class Behavior : uint8_t { kIsolated, kRemoved, kMergedWithPrevious, kMergedWithNext, kContiguous };

struct Split {
  std::shared_ptr<const Regex> pattern;
  Behavior behavior = Behavior::kIsolated;
  bool invert = false;  // the text between the matches is the match
};
struct PrefixBlank {};  // a blank before a piece that has none
struct MapBytes {};     // each byte written in the byte alphabet
struct Metaspace {
  enum class Prepend : uint8_t { kNever, kFirst, kAlways };
  std::string mark;  // stands for a blank: "▁"
  Prepend prepend;   // a mark before a piece that has none; kFirst: only at the beginning of the text
};
using PreTokenizerStep = std::variant<Split, PrefixBlank, MapBytes, Metaspace>;

// A step that cuts at the matches of `pattern`. Throws as Regex does.
Split split(std::string_view pattern, Behavior behavior = Behavior::kIsolated, bool invert = false);

class PreTokenizer {
 public:
  explicit PreTokenizer(std::vector<PreTokenizerStep> steps) : steps_(std::move(steps)) {}

  // Scratch of one thread and one text. Pieces that are not parts of the text live as long as it does.
  class Cutter {
   public:
    using Sink = std::function<void(std::string_view)>;
    explicit Cutter(const PreTokenizer& p);
    // Calls `piece` for each piece in order. `text` must be valid UTF-8 and outlive the pieces; `at_start`:
    // nothing of the whole text came before it. Linear for the expressions of pre_tokenizers.h.
    void cut(std::string_view text, bool at_start, const Sink& piece) { cut(text, at_start, 0, piece); }

   private:
    struct Part {
      std::size_t begin, end;
      bool match;
    };
    void cut(std::string_view text, bool at_start, std::size_t step, const Sink& piece);
    void cut_isolated(std::string_view text, bool at_start, std::size_t step, const Sink& piece);
    void cut_split(const Split& split, std::string_view text, bool at_start, std::size_t step,
                   const Sink& piece);
    std::string_view keep(std::string text) { return made_.emplace_back(std::move(text)); }

    const PreTokenizer* p_;
    std::vector<Regex::Matcher> matchers_;  // of all steps, in order; those that do not split have none
    std::vector<int> matcher_of_step_;
    std::deque<std::string> made_;
  };

 private:
  std::vector<PreTokenizerStep> steps_;
};

}  // namespace kelda::text
