// What a line that begins with a slash does in a chat: one row each.
#pragma once

#include <span>
#include <string_view>

#include "apps/kelda/chat/conversation_session.h"

namespace kelda::cli {

enum class Next { kGoOn, kLeave };

struct SlashCommand {
  std::string_view name;       // "/set"
  std::string_view arguments;  // "NAME VALUE", for the help
  std::string_view help;
  Next (*run)(ConversationSession& session, std::string_view arguments);
};
std::span<const SlashCommand> slash_commands();

// Runs a line that begins with '/'. Throws kUsage, with the nearest command, for one that is not known.
Next run_slash_command(ConversationSession& session, std::string_view line);

}  // namespace kelda::cli
