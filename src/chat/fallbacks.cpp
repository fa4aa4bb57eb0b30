#include "chat/fallbacks.h"

#include <iterator>

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
    {"gemma", "<start_of_turn>", kGemma},
    {"llama3", "<|start_header_id|>", kLlama3},
    {"plain", "", kPlain},
};

}  // namespace

std::span<const Fallback> fallbacks() { return kFallbacks; }

const Fallback& choose_fallback(const Vocabulary& vocabulary) {
  for (const Fallback& f : kFallbacks) {
    const TokenId id = f.marker.empty() ? 0 : vocabulary.find(f.marker);
    if (f.marker.empty() || (id >= 0 && vocabulary.type(id) != TokenType::kNormal)) return f;
  }
  return kFallbacks[std::size(kFallbacks) - 1];
}

}  // namespace kelda::chat
