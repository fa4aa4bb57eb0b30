#include "context/boundaries.h"

#include <algorithm>

namespace kelda::context {
namespace {

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }
bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

template <std::size_t N>
bool ends_with_any(std::string_view text, const std::array<std::string_view, N>& endings,
                   std::size_t* length = nullptr) {
  for (const std::string_view ending : endings) {
    if (!text.ends_with(ending)) continue;
    if (length != nullptr) *length = ending.size();
    return true;
  }
  return false;
}

// After these a sentence ends without a blank: 。！？
constexpr std::array<std::string_view, 3> kFullWidthMarks = {"\xE3\x80\x82", "\xEF\xBC\x81", "\xEF\xBC\x9F"};

bool ends_a_sentence(std::string_view before) {
  constexpr std::array<std::string_view, 4> kMarks = {".", "!", "?", "\xE2\x80\xA6"};
  constexpr std::array<std::string_view, 8> kClosing = {
      "\"", "'", ")", "]", "}", "\xE2\x80\x9D", "\xE2\x80\x99", "\xC2\xBB"};
  for (std::size_t length = 0; ends_with_any(before, kClosing, &length);) before.remove_suffix(length);
  return ends_with_any(before, kMarks) || ends_with_any(before, kFullWidthMarks);
}

// The blanks that `at` lies in or beside; possibly none.
Gap around(std::string_view text, std::size_t at) {
  Gap gap{at, at};
  while (gap.end > 0 && is_blank(text[gap.end - 1])) --gap.end;
  while (gap.begin < text.size() && is_blank(text[gap.begin])) ++gap.begin;
  return gap;
}

// Of a gap that is neither at the text's beginning nor at its end.
bool is_of_kind(std::string_view text, const Gap& gap, Boundary kind) {
  const std::string_view blanks = text.substr(gap.end, gap.begin - gap.end);
  const auto n_newlines = std::count(blanks.begin(), blanks.end(), '\n');
  switch (kind) {
    case Boundary::kParagraph:
      return n_newlines >= 2;
    case Boundary::kLine:
      return n_newlines >= 1;
    case Boundary::kSentence:
      if (blanks.empty()) return ends_with_any(text.substr(0, gap.end), kFullWidthMarks);
      return n_newlines >= 1 || ends_a_sentence(text.substr(0, gap.end));
    case Boundary::kWord:
      return !blanks.empty() || ends_with_any(text.substr(0, gap.end), kFullWidthMarks);
    case Boundary::kCharacter:
      break;
  }
  return true;
}

}  // namespace

std::string_view name(Boundary boundary) {
  constexpr std::array<std::string_view, kBoundaries.size()> kNames = {"paragraph", "line", "sentence",
                                                                       "word", "character"};
  return kNames[static_cast<std::size_t>(boundary)];
}

Gap gap_from(std::string_view text, std::size_t from, Boundary kind) {
  if (kind == Boundary::kCharacter) {
    while (from < text.size() && is_inside_character(text[from])) ++from;
    return {from, from};
  }
  if (from == 0) return {0, 0};
  for (std::size_t at = from; at < text.size();) {
    const Gap gap = around(text, at);
    if (gap.begin == text.size()) break;
    if (is_of_kind(text, gap, kind)) return gap;
    at = gap.begin + 1;
  }
  return {text.size(), text.size()};
}

Gap gap_until(std::string_view text, std::size_t to, Boundary kind) {
  if (kind == Boundary::kCharacter) {
    while (to > 0 && to < text.size() && is_inside_character(text[to])) --to;
    return {to, to};
  }
  if (to == text.size()) return {to, to};
  for (std::size_t at = to; at > 0;) {
    const Gap gap = around(text, at);
    if (gap.end == 0) break;
    if (is_of_kind(text, gap, kind)) return gap;
    at = gap.end - 1;
  }
  return {0, 0};
}

}  // namespace kelda::context
