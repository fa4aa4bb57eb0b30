// Templates for files that carry none, chosen by the turn markers that the vocabulary has.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "chat/conversation.h"
#include "learned/vocabulary.h"

namespace kelda::chat {

struct Fallback {
  std::string_view name;    // "chatml"
  std::string_view marker;  // a special token that tells that the model knows this form; empty: any model
  std::string_view source;
  bool system_first = false;  // it joins a system message to the first of the user
};
std::span<const Fallback> fallbacks();

// Why the conversation cannot be written in this form: other roles than system, user and assistant, content
// that is no text, tools, documents, fields that nothing would show. Empty if it can.
std::string fault_of(const Fallback& fallback, const Conversation& conversation);

// The first whose marker is a token of the vocabulary of any type but an ordinary one (files mark such tokens
// as control or as user-defined); the last fits all.
const Fallback& choose_fallback(const Vocabulary& vocabulary);

}  // namespace kelda::chat
