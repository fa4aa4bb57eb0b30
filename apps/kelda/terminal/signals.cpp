#include "apps/kelda/terminal/signals.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace kelda::cli {
namespace {

// Shared with signal handlers, which have no other way to be told: the only mutable globals of the command
// line.
std::atomic<bool> guarded{false};
std::atomic<int> asked{0};  // the signal
std::atomic<bool> suspend{false}, resize{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

extern "C" void on_stop(int signal) {
  if (guarded.load() && asked.exchange(signal) == 0) return;
  ::_exit(128 + signal);
}

extern "C" void on_suspend(int) { suspend.store(true); }
extern "C" void on_resize(int) { resize.store(true); }

extern "C" void on_broken_pipe(int signal) {
  pollfd out{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  if (::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0) ::_exit(128 + signal);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);  // no SA_RESTART: a blocking read ends, so that the flag is seen
}

}  // namespace

void install_signal_handlers() {
  handle(SIGINT, &on_stop);
  handle(SIGTERM, &on_stop);
  struct sigaction hangup {};
  ::sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) handle(SIGHUP, &on_stop);
  handle(SIGPIPE, &on_broken_pipe);
  handle(SIGXFSZ, SIG_IGN);
}

InterruptGuard::InterruptGuard() {
  asked.store(0);
  guarded.store(true);
}

InterruptGuard::~InterruptGuard() { guarded.store(false); }

bool InterruptGuard::interrupted() const { return asked.load() != 0; }

int InterruptGuard::exit_status() const { return 128 + asked.load(); }

EditingGuard::EditingGuard() {
  const auto handle_until_then = [](int signal, void (*handler)(int), struct sigaction& before) {
    ::sigaction(signal, nullptr, &before);
    handle(signal, handler);
  };
  handle_until_then(SIGTSTP, &on_suspend, suspend_before_);
  handle_until_then(SIGWINCH, &on_resize, resize_before_);
  handle_until_then(SIGQUIT, SIG_IGN, quit_before_);
}

EditingGuard::~EditingGuard() {
  ::sigaction(SIGTSTP, &suspend_before_, nullptr);
  ::sigaction(SIGWINCH, &resize_before_, nullptr);
  ::sigaction(SIGQUIT, &quit_before_, nullptr);
}

bool EditingGuard::take_suspend() { return suspend.exchange(false); }

bool EditingGuard::take_resize() { return resize.exchange(false); }

}  // namespace kelda::cli
