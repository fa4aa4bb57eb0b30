#include "apps/kelda/terminal/progress_bar.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/style.h"

namespace kelda::cli {
namespace {

int terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

std::string amount(uint64_t n, std::string_view unit) {
  return unit.empty() ? short_bytes(n) : fmt::format("{} {}", n, unit);
}

}  // namespace

ProgressBar::Mode ProgressBar::mode(bool quiet) {
  if (quiet) return Mode::kQuiet;
  return has_cursor(Stream::kErr) ? Mode::kBar : Mode::kLines;
}

std::string ProgressBar::render(std::string_view label, uint64_t done, std::optional<uint64_t> total,
                                double per_s, int columns, std::string_view unit) {
  const std::string rate =
      per_s >= 1 ? fmt::format("  {}/s", amount(static_cast<uint64_t>(per_s), unit)) : "";
  if (!total || *total == 0) return fmt::format("{}  {}{}", label, amount(done, unit), rate);
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(*total));
  const double left_s = per_s > 0 ? static_cast<double>(*total - std::min(done, *total)) / per_s : -1;
  const std::string head = fmt::format("{} {:3}%", label, static_cast<int>(share * 100));
  const std::string tail = fmt::format(
      "  {} of {}{}{}", unit.empty() ? short_bytes(done) : std::to_string(done), amount(*total, unit), rate,
      left_s >= 0 ? fmt::format("  {} left", human_seconds(left_s)) : "");
  const int width = std::min(40, columns - 1 - static_cast<int>(head.size() + tail.size()) - 3);
  if (width < 5) return head + tail;
  const int filled = static_cast<int>(share * width);
  std::string bar(static_cast<std::size_t>(width), ' ');
  std::fill_n(bar.begin(), filled, '=');
  if (filled < width) bar[static_cast<std::size_t>(filled)] = '>';
  return fmt::format("{} [{}]{}", head, bar, tail);
}

void ProgressBar::update(std::string_view label, uint64_t done, uint64_t resumed,
                         std::optional<uint64_t> total) {
  if (mode_ == Mode::kQuiet) return;
  const auto now = Clock::now();
  const bool fresh = label != label_;
  if (fresh) {
    label_ = label;
    started_ = now;
    base_ = resumed;
  }
  const bool bar = mode_ == Mode::kBar;
  if (fresh && !bar) drawn_ = now;  // a line only for what takes longer than the pause
  const bool finished = total && done == *total;
  const auto pause = bar ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000);
  if (now - drawn_ < pause && !(bar && (fresh || finished))) return;
  drawn_ = now;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const double rate = seconds > 0.2 ? static_cast<double>(done - std::min(done, base_)) / seconds : 0;
  const std::string line = render(label, done, total, rate, bar ? terminal_columns() : 0, unit_);
  if (bar) {
    say("\r\x1b[K{}", line);
  } else {
    say("{}\n", line);
  }
  on_screen_ = bar;
}

void ProgressBar::clear() {
  if (!on_screen_) return;
  say("\r\x1b[K");
  on_screen_ = false;
}

}  // namespace kelda::cli
