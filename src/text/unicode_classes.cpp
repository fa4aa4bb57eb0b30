#include "text/unicode_classes.h"

#include <fmt/format.h>

#include <iterator>

#include "base/error.h"

namespace kelda::text {
namespace {

constexpr uint32_t kLastCodePoint = 0x10FFFF;

// Ranges in bracket notation, without the brackets.
std::string written(std::span<const CodeRange> ranges) {
  std::string out;
  for (const CodeRange& r : ranges) {
    fmt::format_to(std::back_inserter(out), "\\x{{{:X}}}", r.lo);
    if (r.hi != r.lo) fmt::format_to(std::back_inserter(out), "-\\x{{{:X}}}", r.hi);
  }
  return out;
}

// All other code points. Surrogates lie in none of the tables and never occur in UTF-8; a range of code
// points may not end in them, so they are left out.
std::string written_complement(std::span<const CodeRange> ranges) {
  constexpr uint32_t kSurrogatesBegin = 0xD800, kSurrogatesEnd = 0xE000;
  std::string out;
  uint32_t next = 0;
  const auto gap = [&](uint32_t lo, uint32_t end) {
    if (lo < end) out += written(std::span<const CodeRange>({{lo, end - 1}}));
  };
  const auto flush = [&](uint32_t end) {
    if (next < kSurrogatesBegin && end > kSurrogatesEnd) {
      gap(next, kSurrogatesBegin);
      gap(kSurrogatesEnd, end);
    } else {
      gap(next, end);
    }
  };
  for (const CodeRange& r : ranges) {
    flush(r.lo);
    next = r.hi + 1;
  }
  flush(kLastCodePoint + 1);
  return out;
}

struct Class {
  std::span<const CodeRange> ranges;
  bool negated;
  std::size_t length;  // of the escape in the pattern
};

// The class that the escape at the beginning of `escape` names.
Class named_class(std::string_view escape, std::string_view pattern) {
  if (escape.starts_with("\\s")) return {kWhitespace, false, 2};
  if (escape.starts_with("\\S")) return {kWhitespace, true, 2};
  const bool negated = escape.starts_with("\\P{");
  if (negated || escape.starts_with("\\p{")) {
    const std::size_t end = escape.find('}');
    const std::string_view name = escape.substr(3, end == std::string_view::npos ? end : end - 3);
    if (name == "L") return {kLetters, negated, end + 1};
    if (name == "N") return {kNumbers, negated, end + 1};
    if (name == "Digit") return {kNumeric, negated, end + 1};
  }
  fail(ErrorCode::kUnsupported,
       "regular expression {}: no pinned table for {} (known: \\s \\S \\p{{L}} \\p{{N}} \\p{{Digit}})",
       pattern, escape.substr(0, 8));
}

// Escapes that mean one character: punctuation, or a control character by its letter.
bool is_literal_escape(char c) {
  const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return !word || c == 'n' || c == 'r' || c == 't' || c == 'x';
}

}  // namespace

std::string pin_classes(std::string_view pattern) {
  std::string out;
  bool in_brackets = false;
  for (std::size_t i = 0; i < pattern.size();) {
    const char c = pattern[i];
    if (c != '\\') {
      if (c == '[') in_brackets = true;
      if (c == ']') in_brackets = false;
      out.push_back(c);
      ++i;
    } else if (i + 1 < pattern.size() && is_literal_escape(pattern[i + 1])) {
      out += pattern.substr(i, 2);
      i += 2;
    } else {
      const Class k = named_class(pattern.substr(i), pattern);
      if (in_brackets)
        out += k.negated ? written_complement(k.ranges) : written(k.ranges);
      else
        fmt::format_to(std::back_inserter(out), "[{}{}]", k.negated ? "^" : "", written(k.ranges));
      i += k.length;
    }
  }
  return out;
}

}  // namespace kelda::text
