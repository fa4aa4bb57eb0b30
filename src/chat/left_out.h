// What of a conversation its rendering does not hold: a template drops silently what its maker did not think
// of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chat/conversation.h"

namespace kelda::chat {

// Sentences for people, one for each message, part and list of tools whose text is not in `rendered` as it
// was given but for the blanks around it. A template may mean to: some drop earlier reasoning, or escape.
std::vector<std::string> left_out(const Conversation& conversation, std::string_view rendered);

}  // namespace kelda::chat
