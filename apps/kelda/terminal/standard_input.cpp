#include "apps/kelda/terminal/standard_input.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.h"

namespace kelda::cli {

std::string read_stdin(uint64_t max_bytes) {
  std::string text;
  char buffer[65536];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) {
    text.append(buffer, n);
    if (text.size() > max_bytes) fail(ErrorCode::kBadInput, "stdin: more than {} bytes", max_bytes);
  }
  if (std::ferror(stdin) != 0) fail(ErrorCode::kIo, "stdin: {}", std::strerror(errno));
  return text;
}

}  // namespace kelda::cli
