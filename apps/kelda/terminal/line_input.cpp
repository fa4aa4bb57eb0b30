#include "apps/kelda/terminal/line_input.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace kelda::cli {
namespace {

constexpr std::size_t kMostBytes = 1 << 30;  // of a line

}  // namespace

// More bytes behind the unread ones; false at the end.
bool LineInput::fill() {
  buffer_.erase(0, at_);
  at_ = 0;
  pollfd in{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (::poll(&in, 1, 0) == 0) before_waiting_();
  char bytes[65536];
  ssize_t n = 0;
  for (;;) {
    n = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (n >= 0 || (errno != EINTR && errno != EAGAIN)) break;
    ::poll(&in, 1, -1);  // of a stdin that does not wait by itself
  }
  if (n < 0) fail(ErrorCode::kIo, "stdin: {}", std::strerror(errno));
  buffer_.append(bytes, static_cast<std::size_t>(n));
  return n > 0;
}

bool LineInput::next(std::string& line) {
  std::size_t searched = at_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line.assign(buffer_, at_, end - at_);
      at_ = end + 1;
      break;
    }
    const std::size_t unread = buffer_.size() - at_;
    if (unread > kMostBytes)
      fail(ErrorCode::kBadInput, "line {}: more than {} bytes", number_ + 1, kMostBytes);
    if (!fill()) {
      if (unread == 0) return false;
      line = std::move(buffer_);
      buffer_.clear();
      break;
    }
    searched = unread;
  }
  ++number_;
  return true;
}

}  // namespace kelda::cli
