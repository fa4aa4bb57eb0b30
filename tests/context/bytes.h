// What the tests of this layer share: a tokenizer of one token per byte and a template that writes eight
// bytes around a message, so that counts are known; and a model that writes what a test wants.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_of.h"
#include "context/means.h"
#include "text/tiny_vocabulary.h"

namespace kelda::context {

inline const text::Tokenizer& byte_tokenizer() {
  static const auto tokenizer = [] {
    text::testing::TinyVocabulary vocabulary;
    vocabulary.merges = {"Q Q"};  // which no test writes
    return text::make_tokenizer(vocabulary.make());
  }();
  return *tokenizer;
}

// <user__>one</> … and six bytes for the answer to begin with.
inline constexpr int64_t kAroundMessage = 11, kGenerationPrompt = 6;
inline std::shared_ptr<const chat::ChatTemplate> byte_template() {
  static const auto made = std::make_shared<const chat::ChatTemplate>(
      "{% for m in messages %}<{{ '%-6.6s' | format(m.role) }}>{{ m.content }}</>{% endfor %}"
      "{{ '<next>' if add_generation_prompt }}",
      "test", jinja::Dict());
  return made;
}

inline Given talk(const std::vector<chat::Message>& messages) {
  return {.conversation = chat::conversation_of(messages), .chat_template = byte_template()};
}
inline Given talk_of_json(std::string_view json) {
  return {.conversation = chat::parse_conversation_file(json).conversation, .chat_template = byte_template()};
}
inline Given raw(std::string text) { return {.raw = std::move(text)}; }

inline int64_t count(const Given& given) {
  return static_cast<int64_t>(ids_of(given, byte_tokenizer()).size());
}
inline std::string text_of(const std::vector<TokenId>& ids) { return byte_tokenizer().decode(ids, true); }
inline std::string rendered(const Given& given) { return text_of(ids_of(given, byte_tokenizer())); }

// Writes what `answer` makes of each prompt, and remembers the prompts.
struct FakeModel {
  std::function<std::string(const std::string& prompt)> answer = [](const std::string&) { return "noted"; };
  int64_t window = 0;
  std::vector<std::string> prompts = {};

  Means means() {
    return Means(byte_tokenizer(), window, [this](std::vector<TokenId> prompt, int64_t max_tokens) {
      EXPECT_LE(static_cast<int64_t>(prompt.size()) + max_tokens, window) << "a run that does not fit";
      prompts.push_back(text_of(prompt));
      std::string text = answer(prompts.back());
      const bool ended = static_cast<int64_t>(text.size()) < max_tokens;
      text.resize(std::min(text.size(), static_cast<std::size_t>(max_tokens)));
      const auto n = static_cast<int64_t>(text.size());
      return Written{text, ended, {static_cast<int64_t>(prompt.size()), n, n, 1}};
    });
  }
};

inline bool mentions(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace kelda::context
