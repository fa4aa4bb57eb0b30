// Places where a text may be cut, from the coarsest kind to the finest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kelda::context {

inline constexpr std::string_view kBlanks = " \t\r\n\v\f";

// A paragraph ends with an empty line, a line with a newline, a sentence with its mark (. ! ? … or those of
// Chinese and Japanese) and a blank, which the latter do not need; a word with a blank; a character anywhere
// in valid UTF-8. Each place of a coarser kind is one of the finer kinds too.
enum class Boundary : uint8_t { kParagraph, kLine, kSentence, kWord, kCharacter };
inline constexpr std::array kBoundaries = {Boundary::kParagraph, Boundary::kLine, Boundary::kSentence,
                                           Boundary::kWord, Boundary::kCharacter};
std::string_view name(Boundary boundary);  // "paragraph"

// What lies between the texts on both sides: the blanks [end, begin), which may be none.
struct Gap {
  std::size_t end = 0;    // of the text before it
  std::size_t begin = 0;  // of the text after it
  friend bool operator==(const Gap&, const Gap&) = default;
};

// The first gap of the kind that has its begin at or after `from`; the text's end if there is none. The
// beginning of the text is a gap of every kind. from ≤ text.size().
Gap gap_from(std::string_view text, std::size_t from, Boundary kind);
// The last gap of the kind that has its end at or before `to`; the text's beginning if there is none. The
// end of the text is a gap of every kind. to ≤ text.size().
Gap gap_until(std::string_view text, std::size_t to, Boundary kind);

}  // namespace kelda::context
