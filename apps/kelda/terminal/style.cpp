#include "apps/kelda/terminal/style.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>

namespace kelda::cli {
namespace {

// Three significant digits and the largest unit in which the number is at least 1.
std::string scaled(uint64_t bytes, double step, const std::array<const char*, 6>& units) {
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= step && unit + 1 < units.size()) {
    value /= step;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} {}", bytes, units[0]);
  const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, units[unit]);
}

}  // namespace

bool is_terminal(Stream stream) {
  constexpr int kDescriptors[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  return ::isatty(kDescriptors[static_cast<std::size_t>(stream)]) == 1;
}

bool has_cursor(Stream stream) {
  const char* term = std::getenv("TERM");
  return is_terminal(stream) && term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

bool has_color(Stream stream) {
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && has_cursor(stream);
}

std::string paint(Stream stream, Color color, std::string_view text) {
  if (!has_color(stream)) return std::string(text);
  static constexpr std::array kCodes = {"1", "2", "31", "32", "33"};
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<std::size_t>(color)], text);
}

std::string counted(int64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string short_bytes(uint64_t bytes) {
  return scaled(bytes, 1000, {"bytes", "kB", "MB", "GB", "TB", "PB"});
}

std::string grouped(uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string human_bytes(uint64_t bytes) {
  if (bytes < 1000) return short_bytes(bytes);
  return fmt::format("{} ({})", short_bytes(bytes),
                     scaled(bytes, 1024, {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"}));
}

std::string human_seconds(double seconds) {
  if (!(seconds >= 0) || seconds > 359'999) return "?";
  const auto s = static_cast<int64_t>(std::llround(seconds));
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace kelda::cli
