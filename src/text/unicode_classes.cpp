#include "text/unicode_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/quote.h"

namespace kelda::text {
namespace {

constexpr uint32_t kLastCodePoint = 0x10FFFF;
// Patterns come with files, and a class of five letters may have ten thousand in ranges.
constexpr std::size_t kMaxPinnedBytes = 1 << 20;

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

struct Property {
  std::string_view name;
  std::span<const CodeRange> ranges;
};
constexpr Property kProperties[] = {
    {"L", kLetters},
    {"Lu", kUpper},
    {"Ll", kLower},
    {"Lt", kTitle},
    {"Lm", kModifierLetters},
    {"Lo", kOtherLetters},
    {"M", kMarks},
    {"Mn", kNonspacing},
    {"N", kNumbers},
    {"Nd", kDecimals},
    {"P", kPunctuation},
    {"S", kSymbols},
    {"Han", kHan},
    {"Digit", kNumeric},
    {"AddedWord", kAddedWord},
    {"BertPunctuation", kBertPunctuation},
};

struct Class {
  std::span<const CodeRange> ranges;
  bool negated;
  std::size_t length;  // of the escape in the pattern
};

[[noreturn]] void refuse(std::string_view pattern, std::size_t at, std::string_view why) {
  fail(ErrorCode::kUnsupported, "regular expression {}, byte {}: {}", quote(pattern), at, why);
}

// The class that the escape at `at` names.
Class named_class(std::string_view pattern, std::size_t at) {
  const std::string_view escape = pattern.substr(at);
  const auto letter = [&](char lower, std::span<const CodeRange> ranges) -> Class {
    return {ranges, escape[1] != lower, 2};
  };
  if (escape.size() > 1) {
    switch (escape[1] | 0x20) {
      case 's':
        return letter('s', kWhitespace);
      case 'd':
        return letter('d', kDecimals);
      case 'w':
        return letter('w', kWord);
      default:
        break;
    }
  }
  if (escape.starts_with("\\p{") || escape.starts_with("\\P{")) {
    const std::size_t end = escape.find('}');
    if (end == std::string_view::npos) refuse(pattern, at, "no closing brace");
    std::string_view name = escape.substr(3, end - 3);
    bool negated = escape[1] == 'P';
    if (name.starts_with('^')) {
      negated = !negated;
      name.remove_prefix(1);
    }
    for (const Property& p : kProperties)
      if (p.name == name) return {p.ranges, negated, end + 1};
  }
  std::string known;
  for (const Property& p : kProperties) known += fmt::format(" {}", p.name);
  refuse(pattern, at,
         fmt::format("no pinned table for {} (known: \\s \\d \\w \\b and \\p{{…}} of{})",
                     quote(escape.substr(0, 8)), known));
}

// Escapes that mean one character: punctuation, or a control character by its letter.
bool is_literal_escape(char c) {
  const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return !word || c == 'n' || c == 'r' || c == 't' || c == 'x' || c == 'f';
}

// \b and \B by the pinned \w.
std::string word_border(bool border) {
  const std::string word = fmt::format("[{}]", written(kWord));
  return border ? fmt::format("(?:(?<={0})(?!{0})|(?<!{0})(?={0}))", word)
                : fmt::format("(?:(?<={0})(?={0})|(?<!{0})(?!{0}))", word);
}

}  // namespace

bool contains(std::span<const CodeRange> ranges, uint32_t code_point) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), code_point,
                                      [](uint32_t c, const CodeRange& r) { return c < r.lo; });
  return after != ranges.begin() && code_point <= (after - 1)->hi;
}

uint32_t lowercase(uint32_t code_point) {
  const auto after = std::upper_bound(std::begin(kLowercase), std::end(kLowercase), code_point,
                                      [](uint32_t c, const LowercaseRange& r) { return c < r.lo; });
  if (after == std::begin(kLowercase)) return code_point;
  const LowercaseRange& r = *(after - 1);
  if (code_point > r.hi || (code_point - r.lo) % r.stride != 0) return code_point;
  return static_cast<uint32_t>(static_cast<int32_t>(code_point) + r.difference);
}

std::string literal_pattern(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      fmt::format_to(std::back_inserter(out), "\\x{:02X}", static_cast<unsigned char>(c));
    else if (word || static_cast<unsigned char>(c) >= 0x80)
      out.push_back(c);
    else
      out.append({'\\', c});
  }
  return out;
}

std::string pin_classes(std::string_view pattern) {
  std::string out;
  bool in_brackets = false;
  std::size_t opened = 0;
  for (std::size_t i = 0; i < pattern.size();) {
    if (out.size() > kMaxPinnedBytes) refuse(pattern, i, "it names too many classes of characters");
    const std::string_view rest = pattern.substr(i);
    if (rest[0] != '\\') {
      if (in_brackets && rest[0] == '[') refuse(pattern, i, "brackets inside of brackets are not supported");
      if (in_brackets && rest.starts_with("&&")) refuse(pattern, i, "\"&&\" in brackets is not supported");
      if (!in_brackets && rest[0] == '[') {
        in_brackets = true;
        opened = i + (rest.starts_with("[^") ? 2 : 1);
      } else if (in_brackets && rest[0] == ']' && i != opened) {
        in_brackets = false;
      }
      out.push_back(rest[0]);
      ++i;
    } else if (rest.size() > 1 && is_literal_escape(rest[1])) {
      out += rest.substr(0, 2);
      i += 2;
    } else if (!in_brackets && (rest.starts_with("\\b") || rest.starts_with("\\B"))) {
      out += word_border(rest[1] == 'b');
      i += 2;
    } else {
      const Class k = named_class(pattern, i);
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
