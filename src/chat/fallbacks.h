// Templates for files that carry none, chosen by the turn markers that the vocabulary has.
#pragma once

#include <span>
#include <string_view>

#include "learned/vocabulary.h"

namespace kelda::chat {

struct Fallback {
  std::string_view name;    // "chatml"
  std::string_view marker;  // a special token that tells that the model knows this form; empty: any model
  std::string_view source;
};
std::span<const Fallback> fallbacks();

// The first whose marker is a token of the vocabulary of any type but an ordinary one (files mark such tokens
// as control or as user-defined); the last fits all.
const Fallback& choose_fallback(const Vocabulary& vocabulary);

}  // namespace kelda::chat
