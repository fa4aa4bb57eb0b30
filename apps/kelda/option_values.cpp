#include "apps/kelda/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/quote.h"

namespace kelda::cli {
namespace {

constexpr const char* kModel = "MODEL";

// The words of a refusal, or empty. CLI11 puts the option's name in front.
void check(CLI::Option& option, const std::function<std::string(const std::string&)>& refusal) {
  option.check(CLI::Validator([refusal](std::string& text) { return refusal(text); }, ""));
}

}  // namespace

void allow_integers(CLI::Option& option, int64_t lo, int64_t hi) {
  option.type_name("INTEGER");
  option.description(fmt::format("{}. An integer in [{}, {}]", option.get_description(), lo, hi));
  check(option, [lo, hi](const std::string& text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && value >= lo && value <= hi
               ? std::string()
               : fmt::format("must be an integer in [{}, {}]; got {}", lo, hi, quote(text));
  });
}

void allow_numbers(CLI::Option& option, double lo, double hi) {
  option.type_name("NUMBER");
  option.description(fmt::format("{}. A number in ({}, {}]", option.get_description(), lo, hi));
  check(option, [lo, hi](const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && value > lo && value <= hi
               ? std::string()
               : fmt::format("must be a number in ({}, {}]; got {}", lo, hi, quote(text));
  });
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

void name_models(CLI::Option& option) {
  option.type_name(kModel);
  refuse_empty(option);
}

bool names_models(const CLI::Option& option) { return option.get_type_name() == kModel; }

}  // namespace kelda::cli
