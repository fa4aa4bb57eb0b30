// Python's textwrap.wrap, with white space and tabs left as they are.
#pragma once

#include <cstdint>
#include <vector>

#include "jinja/text.h"

namespace kelda::jinja {

class Runtime;

struct WrapOptions {
  int64_t width = 79;
  bool break_long_words = true;
  bool break_on_hyphens = true;
};

// The lines of one paragraph; none for a blank one. Throws ValueError for a width below 1.
std::vector<Text> wrap(Runtime& rt, const Text& paragraph, const WrapOptions& options);

}  // namespace kelda::jinja
