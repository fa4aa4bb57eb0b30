// A prompt as it was given, and what becomes of it as text before it becomes ids.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/chat_template.h"
#include "chat/conversation.h"
#include "learned/vocabulary.h"
#include "text/tokenizer.h"

namespace kelda::context {

// A conversation in the form of its template or, without one, a raw text.
struct Given {
  chat::Conversation conversation = {};
  std::shared_ptr<const chat::ChatTemplate> chat_template = nullptr;
  chat::Time now = {};  // the same for all that is made of one prompt
  std::string raw = {};
  text::Special special = text::Special::kText;  // in the raw text

  bool is_raw() const { return chat_template == nullptr; }
};

// What the model would read. Throws what rendering and encoding throw.
std::vector<TokenId> ids_of(const Given& given, const text::Tokenizer& tokenizer);

// One message of a user in the form of `like`, or its text where that is raw.
Given asked_like(const Given& like, std::string text);

const std::vector<jinja::Value>& messages_of(const Given& given);  // of a conversation
std::string_view role_of(const jinja::Value& message);
// System and developer messages, which no policy touches.
bool is_pinned(const jinja::Value& message);
Given with_messages(const Given& given, std::vector<jinja::Value> messages);

// Where a message holds text: its content, or one part of a content in parts.
struct TextPlace {
  std::size_t message = 0;
  std::optional<std::size_t> part = std::nullopt;
};
// The longest text of a message that is not pinned; nullopt if there is none of at least one byte.
std::optional<TextPlace> longest_text(const Given& given);
std::string_view text_at(const Given& given, const TextPlace& place);
Given with_text(const Given& given, const TextPlace& place, std::string text);
// Puts a text of its own in front of what the message has.
Given with_text_before(const Given& given, std::size_t message, const std::string& text);

// The messages as people write down a conversation: "User: …", calls of tools as JSON.
std::string transcript(const std::vector<jinja::Value>& messages);

}  // namespace kelda::context
