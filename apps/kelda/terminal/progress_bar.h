// How far a long task is, on stderr: a bar that redraws itself on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kelda::cli {

class ProgressBar {
 public:
  enum class Mode { kBar, kLines, kQuiet };
  // kBar on a terminal, kLines elsewhere, kQuiet if asked for.
  static Mode mode(bool quiet);

  // unit: what is counted, "lines"; bytes where it is empty.
  explicit ProgressBar(Mode mode, std::string_view unit = {}) : mode_(mode), unit_(unit) {}
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `resumed`: what of `done` was there before, which does not count for the rate. A bar redraws at most
  // ten times a second, and when the label changes or all is done; lines come every five seconds.
  void update(std::string_view label, uint64_t done, uint64_t resumed, std::optional<uint64_t> total);
  // Takes the bar off the screen, so that other text can be written.
  void clear();

  // "fetch  38% [=====>      ]  37.4 MB of 98.4 MB  12.1 MB/s  0:05 left", at most `columns` wide; a bar of
  // no width is left out.
  static std::string render(std::string_view label, uint64_t done, std::optional<uint64_t> total,
                            double per_s, int columns, std::string_view unit = {});

 private:
  using Clock = std::chrono::steady_clock;
  Mode mode_;
  std::string unit_;
  std::string label_;
  Clock::time_point started_{}, drawn_{};
  uint64_t base_ = 0;  // what was there when the label began
  bool on_screen_ = false;
};

}  // namespace kelda::cli
