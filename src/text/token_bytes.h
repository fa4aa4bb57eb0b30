// The bytes that a token stands for, by the rules of its tokenizer's decoder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "learned/vocabulary.h"
#include "text/rules.h"

namespace kelda::text {

// Per id, where something stands before the token. Control tokens are stored as text, and so are user-defined
// ones, but for the mark that stands for a blank.
std::vector<std::string> token_bytes(const Vocabulary& vocabulary, const DecoderRules& rules);
// At the beginning of a text, for the token with this `piece` and these `bytes` inside a text.
std::string first_token_bytes(std::string_view piece, std::string_view bytes, const DecoderRules& rules);

}  // namespace kelda::text
