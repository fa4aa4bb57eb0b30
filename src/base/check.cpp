#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace kelda {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "kelda: internal check failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace kelda
