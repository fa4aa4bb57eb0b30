// A text of any length made into a summary by the model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "context/means.h"

namespace kelda::context {

struct Summary {
  std::string text;   // empty where the model wrote nothing
  bool ended = true;  // by the model, not by its length
  int64_t n_pieces = 0;
  int64_t n_unwritten = 0;  // pieces for which the model wrote nothing: the summary is of the others
};

// Condenses `text` to at most max_tokens tokens, with what was condensed earlier, if anything: that comes
// before it. What is too long to be read at once is read in pieces, each with the summary of those before it.
//   like: the form in which the model is asked. Throws kContextLength where the window has no room for a
//   piece, and what the runs throw.
Summary condense(const Given& like, const std::string& earlier, std::string_view text, int64_t max_tokens,
                 Means& means);

// `kept` with the summary of what is missing from it, marked as one: in front of the first message that is
// not pinned, or of the raw text; or behind the text at that place, of which the end was cut off (for a raw
// text, any place).
Given with_summary(const Given& kept, const std::string& summary, const std::optional<TextPlace>& behind);

}  // namespace kelda::context
