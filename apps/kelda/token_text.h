// Tokens as people look at them.
#pragma once

#include <span>
#include <string>

#include "text/tokenizer.h"

namespace kelda::cli {

// The bytes of a token, safe to show: a newline as "\n", half a character as "\xE2", without quotes.
std::string shown_piece(const text::Tokenizer& tokenizer, TokenId id);

// The text with its tokens in turning colours, for a terminal that has them; half characters as \xNN.
std::string coloured_tokens(const text::Tokenizer& tokenizer, std::span<const TokenId> ids);

}  // namespace kelda::cli
