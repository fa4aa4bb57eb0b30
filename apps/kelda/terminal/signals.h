// Ctrl-C, terminals that close, and readers that stop reading.
#pragma once

#include <signal.h>

namespace kelda::cli {

// Once, at the start of main(). SIGINT, SIGTERM and SIGHUP end the process with status 130, 143 and 129; a
// SIGHUP that was ignored before, as under nohup, stays so. SIGPIPE ends it with 141 and no word if it is
// stdout that lost its reader, else it is left to the write's own error; so is a file that reaches its size
// limit.
void install_signal_handlers();

// While alive, the first SIGINT, SIGTERM or SIGHUP only sets a flag, so that a task can stop where nothing is
// lost; the next one ends the process. Not to be nested.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;
  int exit_status() const;  // once interrupted: 130, 143 or 129
};

// While alive, somebody who edits a line sees to Ctrl-Z (SIGTSTP) and to a terminal of another size
// (SIGWINCH) himself, and Ctrl-\ (SIGQUIT) does nothing: each would else leave the terminal as the editor has
// set it. Not to be nested.
class EditingGuard {
 public:
  EditingGuard();
  ~EditingGuard();
  EditingGuard(const EditingGuard&) = delete;
  EditingGuard& operator=(const EditingGuard&) = delete;

  // Whether it was asked for since the last call.
  bool take_suspend();
  bool take_resize();

 private:
  struct sigaction suspend_before_, resize_before_, quit_before_;  // a shell may have them ignored
};

}  // namespace kelda::cli
