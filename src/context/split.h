// An answer about a text that is longer than the window: asked of overlapping pieces of it, and of what these
// have said.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "context/means.h"
#include "context/policy.h"

namespace kelda::context {

// The one message of the user, taken apart at its first or last empty line.
struct Question {
  std::string_view question, document;  // neither is empty
};
// Throws kUsage where the conversation is more than one message of the user, in one text, beside system
// messages, and kBadInput where no empty line tells the question from the document.
Question question_of(const Given& given, bool question_first);

// The pieces of `text`, from its beginning to its end, as long as fits() allows, cut as context/cut.h has it.
// Each but the first begins again with up to `overlap` of the one before: as much as begins at a paragraph
// or, where none begins there, at the next finer boundary.
//   Throws kContextLength where not one character fits.
std::vector<std::string_view> pieces_of(std::string_view text, double overlap,
                                        const std::function<bool(std::string_view)>& fits);

struct Combined {
  Given prompt;    // asks the question of what was found
  Given question;  // asks it of nothing: what of the given is left in the prompt
  int64_t n_pieces = 0;
  int64_t n_rounds = 0;      // in which answers were put together before that
  int64_t n_broken_off = 0;  // answers that reached their limit
};
// Asks the question of each piece, at most an eighth of the window for each answer, and puts the answers
// together, again and again where they are too many, until a prompt of them leaves settings.room.
//   Throws what question_of() throws, kContextLength where the window is too small for it, and what the runs
//   throw.
Combined split(const Given& given, const Settings& settings, Means& means);

}  // namespace kelda::context
