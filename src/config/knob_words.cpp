// How knobs are written for people: names, ranges, messages, and the guess after a slip.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.h"
#include "config/knob.h"

namespace kelda {
namespace {

constexpr std::string_view kSeedRange = "[0, 18446744073709551615]";

// Edit distance where a swap of neighbours counts once (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// Spelling that people mix up without meaning another name: case, '-' for '_', leading dashes.
std::string folded(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  std::string out(word);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return out;
}

}  // namespace

std::string flag_name(std::string_view knob_name) {
  std::string flag = "--" + std::string(knob_name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string range_text(const Knob& knob) {
  switch (knob.type) {
    case KnobType::kFloat:
    case KnobType::kInt:
    case KnobType::kTokenBias:
      break;
    case KnobType::kSeed:
      return std::string(kSeedRange);
    default:
      return {};
  }
  const std::string end = std::isinf(knob.hi) ? "∞)" : fmt::format("{}]", knob.hi);
  return fmt::format("{}{}, {}", knob.lo_open ? '(' : '[', knob.lo, end);
}

std::string allowed_text(const Knob& knob) {
  switch (knob.type) {
    case KnobType::kFloat:
      return "a number in " + range_text(knob);
    case KnobType::kInt:
      return "an integer in " + range_text(knob);
    case KnobType::kBool:
      return "true or false";
    case KnobType::kSeed:
      return fmt::format("-1 (random) or an integer in {}", kSeedRange);
    case KnobType::kText:
      return fmt::format("a text of at most {} bytes", knob.max_bytes);
    case KnobType::kTextList:
      return fmt::format("a list of at most {} texts of 1 to {} bytes", knob.max_items, knob.max_bytes);
    case KnobType::kTokenBias:
      return fmt::format("a map of at most {} token ids, each to a bias in {}", knob.max_items,
                         range_text(knob));
  }
  return {};
}

std::string default_text(const Knob& knob) {
  if (!knob.def_words.empty()) return std::string(knob.def_words);
  switch (knob.type) {
    case KnobType::kBool:
      return knob.def != 0 ? "true" : "false";
    case KnobType::kSeed:
      return "random";
    case KnobType::kText:
    case KnobType::kTextList:
    case KnobType::kTokenBias:
      return "none";
    default:
      return fmt::format("{}", knob.def);
  }
}

void fail_knob(const Knob& knob, std::string_view got) {
  fail(ErrorCode::kUsage, "{} must be {}; got {}", knob.name, allowed_text(knob), got);
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  constexpr std::size_t kLongest = 64;  // no name is longer; keeps the distance cheap for hostile input
  if (word.size() > kLongest) return {};
  const std::string given = folded(word);
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, given.size() / 3) + 1;
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(given, folded(name));
    if (distance < best_distance && distance < name.size()) {
      best = name;
      best_distance = distance;
    }
  }
  return std::string(best);
}

}  // namespace kelda
