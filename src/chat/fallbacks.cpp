#include "chat/fallbacks.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "base/quote.h"

namespace kelda::chat {
namespace {

constexpr std::string_view kChatml = R"({% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %})";

constexpr std::string_view kGemma =
    R"({{ bos_token }}{% set head = namespace(text='') %}{% for m in messages %}
{% if m.role == 'system' %}{% set head.text = head.text + m.content + '\n\n' %}{% else %}
<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}
{{ head.text }}{{ m.content | trim }}<end_of_turn>
{% set head.text = '' %}{% endif %}{% endfor %}
{% if add_generation_prompt %}<start_of_turn>model
{% endif %})";

constexpr std::string_view kLlama3 =
    R"({{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>

{{ m.content | trim }}<|eot_id|>{% endfor %}{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>

{% endif %})";

// For models that were never taught turns: the form of a written dialogue.
constexpr std::string_view kPlain = R"({% for m in messages %}{{ m.role | capitalize }}: {{ m.content }}

{% endfor %}{% if add_generation_prompt %}Assistant:{% endif %})";

constexpr Fallback kFallbacks[] = {
    {"chatml", "<|im_start|>", kChatml},
    {"gemma", "<start_of_turn>", kGemma, /*system_first=*/true},
    {"llama3", "<|start_header_id|>", kLlama3},
    {"plain", "", kPlain},
};

std::string text_of(const jinja::Value* value) {
  return value != nullptr && value->is_string() ? std::string(value->str()) : std::string();
}

// What is wrong with a message; empty if nothing is.
std::string fault_of(const jinja::Dict& message) {
  const std::string role = text_of(message.find("role"));
  if (role != "system" && role != "user" && role != "assistant")
    return "has no form for the role " + quote(role, 40);
  const jinja::Value* content = message.find("content");
  if (content == nullptr || !content->is_string()) return "needs a content that is a text";
  for (const auto& [name, value] : message.items())
    if (name.str() != "role" && name.str() != "content" && !value.is_none())
      return fmt::format("has no place for {}", name.str());
  return {};
}

// A system message goes in front of the first of the user: so there must be one, and nothing between.
std::string fault_of_system_first(const std::vector<jinja::Value>& messages) {
  const auto role = [&](std::size_t i) { return text_of(messages[i].as_dict().find("role")); };
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (role(i) == "system" && (i != 0 || messages.size() == 1 || role(1) != "user"))
      return fmt::format(
          "messages[{}]: the fallback puts a system message in front of the first of the user, and has no "
          "other place for one",
          i);
  }
  return {};
}

}  // namespace

std::string fault_of(const Fallback& f, const Conversation& c) {
  const auto given = [](const jinja::Value& list) { return list.is_list() && !list.items().empty(); };
  if (given(c.tools)) return "the fallback has no place for tools";
  if (given(c.documents)) return "the fallback has no place for documents";
  const std::vector<jinja::Value>& messages = c.messages.items();
  if (c.variables.size() != 0) return "the fallback has no place for chat_template_kwargs";
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::string fault = fault_of(messages[i].as_dict());
    if (!fault.empty()) return fmt::format("messages[{}]: the fallback {}", i, fault);
  }
  return f.system_first ? fault_of_system_first(messages) : "";
}

std::span<const Fallback> fallbacks() { return kFallbacks; }

const Fallback& choose_fallback(const Vocabulary& vocabulary) {
  for (const Fallback& f : kFallbacks) {
    const TokenId id = f.marker.empty() ? 0 : vocabulary.find(f.marker);
    if (f.marker.empty() || (id >= 0 && vocabulary.type(id) != TokenType::kNormal)) return f;
  }
  return kFallbacks[std::size(kFallbacks) - 1];
}

}  // namespace kelda::chat
