// What a chat template renders: the messages of a conversation, and what else it may look at.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jinja/value.h"

namespace kelda::chat {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

inline constexpr std::size_t kMaxMessages = 2048;
inline constexpr std::size_t kMaxTools = 128;

struct Message {
  std::string role, content;
};

// Everything in it is input: text of it never counts as the template's own (docs/explain/chat-templates.md).
struct Conversation {
  jinja::Value messages;   // a list of dicts with at least a role
  jinja::Value tools;      // a list of dicts, or missing
  jinja::Value documents;  // likewise
  jinja::Dict variables;   // other names that the template may ask for: enable_thinking, …
  bool add_generation_prompt = true;
};

Conversation conversation_of(const std::vector<Message>& messages);

// A file of its own: {"messages": […], "tools": […], "documents": […], "add_generation_prompt": true,
// "chat_template_kwargs": {…}, "tokens": {"bos_token": "<s>", …}, "now": "2026-01-02T03:04:05"}. Only
// messages must be there. Throws kBadInput naming the field for unknown fields, wrong types, and counts
// beyond the limits.
struct ConversationFile {
  Conversation conversation;
  jinja::Dict tokens;  // in place of the model's; owned
  std::optional<Time> now;
};
ConversationFile parse_conversation_file(std::string_view json);

// The wall clock here, as strftime_now() shows it.
Time local_now();

}  // namespace kelda::chat
