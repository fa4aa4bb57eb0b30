// Probabilities as bars of text.
#pragma once

#include <string>
#include <string_view>

#include "engine/draw_report.h"
#include "text/tokenizer.h"

namespace kelda::cli {

// `share` of `columns` columns, to an eighth of one; a share above 0 shows. Filled with blanks to all
// columns.
std::string bar(double share, int columns);

inline constexpr int64_t kPictured = 12;  // of the likeliest tokens, in a line

// One line for a token as it is drawn: its probability and piece, a column for each of the likeliest tokens
// (dim, or a dot where there is no colour, for those that were cut), and how many were left.
std::string distribution_line(const text::Tokenizer& tokenizer, const sampling::DrawRecord& record);

// The candidate that was drawn.
const sampling::CandidateRecord& drawn_of(const sampling::DrawRecord& record);
// "drawn", "cut by top_p", or empty for what was left and not drawn.
std::string fate(const sampling::DrawRecord& record, const sampling::CandidateRecord& candidate);

}  // namespace kelda::cli
