// A range of bytes of a text: [begin, end).
#pragma once

#include <cstddef>

namespace kelda {

struct ByteSpan {
  std::size_t begin, end;
  bool operator==(const ByteSpan&) const = default;
};

}  // namespace kelda
