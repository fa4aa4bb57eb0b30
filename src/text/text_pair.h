// A text and what follows it, as ids: where one ends and the other begins.
#pragma once

#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace kelda::text {

struct TextPair {
  std::vector<TokenId> context, continuation;
  // False where the last token of the context would be another one, were the continuation read with it.
  bool clean = true;
};

// The rule of lm-evaluation-harness, so that scores can be compared: blanks at the end of the context belong
// to the continuation; both together become ids, and those beyond as many as the context alone has are the
// continuation. A context without tokens is the model's BOS, or its EOS where it has no BOS; a BOS that the
// model's file asks for goes in front. Throws kBadInput for invalid UTF-8, a continuation without tokens and
// an empty context for a model with neither token.
TextPair encode_pair(const Tokenizer& tokenizer, std::string_view context, std::string_view continuation,
                     Special special);

// Bytes of white space, as Python's str.rstrip() sees it, at the end of valid UTF-8.
std::size_t blanks_at_end(std::string_view utf8);

}  // namespace kelda::text
