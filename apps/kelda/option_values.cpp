#include "apps/kelda/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/quote.h"
#include "base/utf8.h"

namespace kelda::cli {
namespace {

constexpr const char* kModel = "MODEL";

// The words of a refusal, or empty. CLI11 puts the option's name in front.
void check(CLI::Option& option, const std::function<std::string(const std::string&)>& refusal) {
  option.check(CLI::Validator([refusal](std::string& text) { return refusal(text); }, ""));
}

// allowed: "an integer in [1, 9]".
template <typename T, typename IsInRange>
void allow(CLI::Option& option, const char* type, const std::string& allowed, const IsInRange& is_in_range) {
  option.type_name(type);
  option.description(fmt::format("{}. A{}", option.get_description(), allowed.substr(1)));
  check(option, [=](const std::string& text) {
    const auto value = parse_number<T>(text);
    return value && is_in_range(*value) ? std::string()
                                        : fmt::format("must be {}; got {}", allowed, quote(text));
  });
}

}  // namespace

void allow_integers(CLI::Option& option, int64_t lo, int64_t hi) {
  allow<int64_t>(option, "INTEGER", fmt::format("an integer in [{}, {}]", lo, hi),
                 [lo, hi](int64_t value) { return value >= lo && value <= hi; });
}

void allow_numbers(CLI::Option& option, double lo, double hi) {
  allow<double>(option, "NUMBER", fmt::format("a number in ({}, {}]", lo, hi),
                [lo, hi](double value) { return value > lo && value <= hi; });
}

void allow_words(CLI::Option& option, const std::vector<std::string>& words) {
  option.type_name(fmt::format("{{{}}}", fmt::join(words, ",")));
  check(option, [words](const std::string& text) {
    return std::find(words.begin(), words.end(), text) != words.end()
               ? std::string()
               : fmt::format("must be {}; got {}", fmt::join(words, " or "), quote(text));
  });
}

std::vector<std::string> allowed_words(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (!type.starts_with('{') || !type.ends_with('}')) return {};
  return CLI::detail::split(type.substr(1, type.size() - 2), ',');
}

void refuse_empty(CLI::Option& option) {
  check(option, [](const std::string& text) { return text.empty() ? std::string("is empty") : ""; });
}

void require_utf8(std::string_view text, std::string_view what) {
  if (const auto bad = first_invalid_utf8(text))
    fail(ErrorCode::kBadInput, "invalid UTF-8 at byte {} of {}", *bad, what);
}

void name_models(CLI::Option& option) {
  option.type_name(kModel);
  refuse_empty(option);
}

bool names_models(const CLI::Option& option) { return option.get_type_name() == kModel; }

}  // namespace kelda::cli
