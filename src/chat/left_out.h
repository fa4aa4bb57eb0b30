// What of a conversation its rendering does not hold: a template drops silently what its maker did not think
// of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chat/conversation.h"

namespace kelda::chat {

// Sentences for people, at most nine: the contents, parts, calls, tools and documents whose text is not in
// `rendered` as it was given, or as JSON writes it, but for the blanks around it. A template may mean to:
// some drop earlier reasoning.
std::vector<std::string> left_out(const Conversation& conversation, std::string_view rendered);

}  // namespace kelda::chat
