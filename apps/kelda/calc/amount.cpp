#include "apps/kelda/calc/amount.h"

#include <fmt/format.h>

#include "apps/kelda/terminal/style.h"

namespace kelda::cli {
namespace {

// "2.15 GB" or "2.00 GiB": the largest unit of which there is one.
std::string in_units(double n, double step, std::string_view infix) {
  constexpr std::string_view kPrefixes = "kMGTPE";
  std::size_t at = 0;
  for (n /= step; n >= step && at + 1 < kPrefixes.size(); ++at) n /= step;
  const char prefix = infix.empty() || at > 0 ? kPrefixes[at] : 'K';
  return fmt::format("{:.2f} {}{}B", n, prefix, infix);
}

}  // namespace

Amount count_of(uint64_t n) { return {n, grouped(n)}; }

Amount bytes_of(uint64_t n) {
  std::string text = grouped(n) + " bytes";
  if (n >= 1'000'000) {
    const auto value = static_cast<double>(n);
    text += fmt::format(" = {} = {}", in_units(value, 1000, ""), in_units(value, 1024, "i"));
  }
  return {n, text};
}

Amount ms_of(double seconds) { return {seconds * 1e3, fmt::format("{:.4g} ms", seconds * 1e3)}; }

Amount number_of(double value, std::string_view unit) {
  return {value, fmt::format("{:.5g}{}{}", value, unit.empty() ? "" : " ", unit)};
}

Amount words_of(std::string_view text) { return {std::string(text), std::string(text)}; }

}  // namespace kelda::cli
