// The oldest of a prompt left out, as little as is needed: what `truncate` drops and `summarize` condenses.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "context/cut.h"
#include "context/given.h"

namespace kelda::context {

struct Shortened {
  Given kept;
  std::size_t n_turns = 0;                         // left out
  std::optional<Boundary> cut_at = std::nullopt;   // a raw text, or one message, was cut at such a place
  std::optional<TextPlace> cut_in = std::nullopt;  // which, in `kept`; of a raw text {}
  std::string left_out = {};                       // as text, oldest first
};

// Leaves out the fewest of the oldest turns (context/turns.h) with which it fits. Where all of them are not
// enough, the longest message that is left is cut as well, and of a raw text what is too much: at the end
// that is not kept.
//   nullopt where that is not enough either. fits: asked of what may be kept, with the real template and
//   tokenizer; not of a conversation as it was given.
std::optional<Shortened> shorten(const Given& given, Keep keep,
                                 const std::function<bool(const Given&)>& fits);

}  // namespace kelda::context
