// Ctrl-C, and readers that stop reading.
#pragma once

namespace kelda::cli {

// Once, at the start of main(). SIGINT and SIGTERM end the process with status 130 and 143; SIGPIPE with 141
// and no word if it is stdout that lost its reader, else it is left to the write's own error; so is a file
// that reaches its size limit.
void install_signal_handlers();

// While alive, the first SIGINT or SIGTERM only sets a flag, so that a task can stop where nothing is lost;
// the next one ends the process. Not to be nested.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;
  int exit_status() const;  // once interrupted: 130 or 143
};

}  // namespace kelda::cli
