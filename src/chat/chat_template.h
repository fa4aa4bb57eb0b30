// How a model wants a conversation written. LEARNED in effect: the model was trained on this form, and
// answers badly to any other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/conversation.h"
#include "config/metadata.h"
#include "jinja/template.h"
#include "learned/vocabulary.h"
#include "text/tokenizer.h"

namespace kelda::chat {

struct Fallback;

inline constexpr uint64_t kMaxTemplateBytes = 1 << 20;

// Immutable; may be used by several threads at a time.
class ChatTemplate {
 public:
  // `tokens`: the texts of special tokens that the template sees (bos_token, eos_token, …).
  // Throws jinja::TemplateError.
  ChatTemplate(std::string source, std::string name, jinja::Dict tokens);

  // The template that the file carries (tokenizer.chat_template; the one named tool_use where tools are
  // given), or else the fallback that fits its vocabulary. Never throws for what the template says: one that
  // does not parse is a finding, and rendering then throws its error.
  // name: where the template is, for messages.
  static std::shared_ptr<const ChatTemplate> of_model(const Metadata& metadata, const Vocabulary& vocabulary,
                                                      std::string_view name = "tokenizer.chat_template");

  // The same special tokens with another template. Throws jinja::TemplateError.
  std::shared_ptr<const ChatTemplate> with_source(std::string source, std::string name) const;

  // Throws jinja::TemplateRaised where the template refuses the conversation, jinja::TemplateError for its
  // own faults, and for a fallback kBadInput naming what of the conversation it would leave out. `tokens`
  // replace those that the model has.
  jinja::Rendered render(const Conversation& conversation, Time now, const jinja::Dict& tokens = {}) const;

  // Where it comes from: "tokenizer.chat_template", "chat_template.jinja", or "fallback chatml (the file has
  // no chat template)".
  const std::string& name() const { return name_; }
  const std::string& source() const { return source_; }
  bool is_fallback() const { return fallback_ != nullptr; }
  // What is odd about it, found by rendering a fixed conversation: a dropped role, a doubled BOS, no
  // generation prompt, … Sentences for people; empty for a template as it should be.
  const std::vector<std::string>& findings() const { return findings_; }

 private:
  ChatTemplate() = default;
  void check(const Vocabulary* vocabulary);
  void find_dropped_roles();
  void find_fault_of_bos(const std::string& text, const Vocabulary* vocabulary);

  std::string source_, name_;
  std::optional<jinja::TemplateError> error_;  // of a template that does not parse
  const Fallback* fallback_ = nullptr;         // null where the file has a template
  jinja::Dict tokens_;
  std::optional<jinja::Template> template_, tool_use_;
  std::vector<std::string> findings_;
};

// The ids of a rendering. Control tokens are those that the template wrote; the same letters in a message are
// text. BOS comes first where the file asks for it, once.
std::vector<TokenId> encode(const text::Tokenizer& tokenizer, const jinja::Rendered& rendered);

}  // namespace kelda::chat
