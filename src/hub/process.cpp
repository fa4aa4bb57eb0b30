#include "hub/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/error.h"

extern char** environ;

namespace kelda::hub {
namespace {

using Clock = std::chrono::steady_clock;

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() { reset(); }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }
  void reset() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

// Ours, except the names that `added` gives anew.
std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line(*entry);
    const std::string_view name = line.substr(0, line.find('=') + 1);
    bool replaced = false;
    for (const std::string& other : added) replaced = replaced || other.starts_with(name);
    if (!replaced) all.emplace_back(line);
  }
  return all;
}

// Starts the program as the leader of a process group of its own, so that it can be ended with all its
// children and a Ctrl-C at the terminal reaches it through us alone.
pid_t start(const std::vector<std::string>& arguments, const ProcessOptions& options, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  if (!options.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGPIPE, SIGXFSZ}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);

  const std::vector<std::string> environment = merged_environment(options.environment);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, arguments.front().c_str(), &actions, &attributes,
                                 pointers(arguments).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) fail(ErrorCode::kNotFound, "the program {} is not installed", arguments.front());
  if (error != 0) fail(ErrorCode::kIo, "{}: cannot start it: {}", arguments.front(), std::strerror(error));
  return pid;
}

int exit_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

// Asks politely, then after three seconds not.
void end_group(pid_t pid) {
  int status = 0;
  ::kill(-pid, SIGTERM);
  for (const auto end = Clock::now() + std::chrono::seconds(3); Clock::now() < end;) {
    if (::waitpid(pid, &status, WNOHANG) == pid) return;
    ::usleep(20'000);
  }
  ::kill(-pid, SIGKILL);
  ::waitpid(pid, &status, 0);
}

void keep_tail(std::string& text, const char* data, std::size_t size) {
  constexpr std::size_t kKept = 4096;
  text.append(data, size);
  if (text.size() > kKept) text.erase(0, text.size() - kKept);
}

// Everything that lies in the pipe, without waiting. False once the writers are gone.
bool take_output(int fd, std::string& text) {
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n > 0) {
      keep_tail(text, buffer.data(), static_cast<std::size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      return n != 0;
    }
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(ErrorCode::kIo, "cannot make a pipe: {}", std::strerror(errno));
  Fd from(ends[0]), to(ends[1]);
  ::fcntl(from.get(), F_SETFL, O_NONBLOCK);  // the reader's end only
  const pid_t pid = start(arguments, options, to.get());
  to.reset();

  ProcessResult result;
  for (bool open = true;;) {
    if (open) {
      pollfd waiting{.fd = from.get(), .events = POLLIN, .revents = 0};
      ::poll(&waiting, 1, 100);
      open = take_output(from.get(), result.output);
    } else {
      ::usleep(100'000);
    }
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) {
      take_output(from.get(), result.output);
      result.exit_status = exit_status(status);
      return result;
    }
    if (options.tick && !options.tick()) {
      end_group(pid);
      fail(ErrorCode::kInterrupted, "{}: stopped", arguments.front());
    }
  }
}

}  // namespace kelda::hub
