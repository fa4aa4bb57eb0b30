#include "apps/kelda/terminal/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace kelda::cli {

void occupy_closed_streams() {
  // Reading what is open for writing fails with EBADF, and the other way round: no data is lost in silence.
  constexpr struct {
    int descriptor, mode;
  } kStreams[] = {{STDIN_FILENO, O_WRONLY}, {STDOUT_FILENO, O_RDONLY}, {STDERR_FILENO, O_WRONLY}};
  for (const auto& stream : kStreams) {
    if (::fcntl(stream.descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free descriptor is taken: this one, since those below it are open by now.
    if (::open("/dev/null", stream.mode) != stream.descriptor) ::_exit(1);
  }
}

}  // namespace kelda::cli
