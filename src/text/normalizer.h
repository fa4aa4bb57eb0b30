// What a tokenizer does to text before it cuts it: a row of steps, each from text to text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "text/regex.h"
#include "text/unicode_normal.h"

namespace kelda::text {

struct Lowercase {};
struct StripAccents {};
struct Prepend {  // before any text that is not empty
  std::string text;
};
struct ReplaceText {  // every occurrence of `from`, which is not empty
  std::string from, to;
};
struct ReplaceMatches {
  std::shared_ptr<const Regex> pattern;
  std::string to;
};
struct StripBlanks {
  bool left, right;
};
struct SqueezeBlanks {};  // SentencePiece's: none at the ends, one between words; U+0020 only
struct BertRules {
  bool clean_text, chinese_chars, strip_accents, lowercase;
};
struct ToByteAlphabet {};  // byte_alphabet.h

using NormalizerStep = std::variant<NormalForm, Lowercase, StripAccents, Prepend, ReplaceText, ReplaceMatches,
                                    StripBlanks, SqueezeBlanks, BertRules, ToByteAlphabet>;

class Normalizer {
 public:
  Normalizer() = default;
  explicit Normalizer(std::vector<NormalizerStep> steps) : steps_(std::move(steps)) {}
  bool empty() const { return steps_.empty(); }
  // `text`, valid UTF-8, after all steps: `text` itself where there are none, else a view of `out`. Linear,
  // but for sorting long runs of combining marks.
  std::string_view apply(std::string_view text, std::string& out) const;

 private:
  std::vector<NormalizerStep> steps_;
};

}  // namespace kelda::text
