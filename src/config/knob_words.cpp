// How knobs are written for people: names, ranges, messages.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/error.h"
#include "base/quote.h"
#include "config/knob.h"

namespace kelda {
namespace {

constexpr std::string_view kSeedRange = "[0, 18446744073709551615]";

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
      if (knob.choices != nullptr) return fmt::format("one of {}", fmt::join(knob.choices(), ", "));
      return fmt::format("a text of at most {} bytes", knob.max_bytes);
    case KnobType::kTextList:
      if (knob.choices != nullptr)
        return fmt::format("a list of some of {}, each at most once", fmt::join(knob.choices(), ", "));
      return fmt::format("a list of at most {} texts of 1 to {} bytes", knob.max_items, knob.max_bytes);
    case KnobType::kTokenBias:
      return fmt::format("a map of at most {} token ids, each to a bias in {}", knob.max_items,
                         range_text(knob));
    case KnobType::kTokenIds:
      return fmt::format("a list of at most {} token ids, none of them twice", knob.max_items);
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
      return knob.def_texts.empty() ? "none" : std::string(knob.def_texts.front());
    case KnobType::kTextList:
    case KnobType::kTokenBias:
    case KnobType::kTokenIds:
      return "none";
    default:
      return fmt::format("{}", knob.def);
  }
}

std::string value_text(const KnobValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::is_same_v<T, Seed>) {
          return v.value ? fmt::format("{}", *v.value) : "random";
        } else if constexpr (std::is_same_v<T, std::string>) {
          return quote(v);
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          std::vector<std::string> quoted;
          for (const std::string& text : v) quoted.push_back(quote(text));
          return v.empty() ? "none" : fmt::format("{}", fmt::join(quoted, ", "));
        } else if constexpr (std::is_same_v<T, TokenBias>) {
          std::vector<std::string> pairs;
          for (const auto& [id, bias] : v) pairs.push_back(fmt::format("{}={}", id, bias));
          return v.empty() ? "none" : fmt::format("{}", fmt::join(pairs, ","));
        } else if constexpr (std::is_same_v<T, TokenIds>) {
          return v.empty() ? "none" : fmt::format("{}", fmt::join(v, ","));
        } else {
          return fmt::format("{}", v);
        }
      },
      value);
}

void fail_knob(const Knob& knob, std::string_view got) {
  fail(ErrorCode::kUsage, "{} must be {}; got {}", knob.name, allowed_text(knob), got);
}

}  // namespace kelda
