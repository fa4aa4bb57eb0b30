// As much of one text as fits.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "context/boundaries.h"

namespace kelda::context {

enum class Keep { kEnd, kStart };

// text[begin, end) is kept.
struct Cut {
  std::size_t begin = 0, end = 0;
  Boundary at = Boundary::kCharacter;  // where it was cut
};

// The longest part at that end of `text` that fits, cut at the coarsest kind of boundary that leaves at least
// half of what a cut at any character would leave; all of it where that fits; nullopt where not one character
// does.
//   text: valid UTF-8. fits: asked of parts at that end, not empty and at most about twice as long as what
//   fits, about 2 log n times; it is taken to be true of all that are shorter than one that fits, but what is
//   returned it has been true of.
std::optional<Cut> cut(std::string_view text, Keep keep, const std::function<bool(std::string_view)>& fits);

}  // namespace kelda::context
