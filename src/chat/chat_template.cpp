#include "chat/chat_template.h"

#include <fmt/format.h>

#include <limits>
#include <set>
#include <span>
#include <utility>

#include "base/error.h"
#include "chat/fallbacks.h"

namespace kelda::chat {
namespace {

using jinja::Dict;
using jinja::Provenance;
using jinja::Value;

constexpr std::string_view kKey = "tokenizer.chat_template";

// What is looked for in the rendering of the fixed conversation.
struct TrialMessage {
  const char *role, *content;
};
constexpr TrialMessage kTrial[] = {{"system", "kelda-check-system"},
                                   {"user", "kelda-check-first"},
                                   {"assistant", "kelda-check-answer"},
                                   {"user", "kelda-check-second"}};

Conversation trial(std::span<const TrialMessage> messages) {
  std::vector<Message> list;
  for (const TrialMessage& m : messages) list.push_back({m.role, m.content});
  return conversation_of(list);
}

void add_token(Dict& tokens, std::string_view name, TokenId id, const Vocabulary& v) {
  if (id >= 0 && id < v.size()) tokens.set(name, Value::string(v.piece(id), Provenance::kOwned));
}

Dict special_tokens(const Metadata& m, const Vocabulary& v) {
  constexpr int64_t kMax = std::numeric_limits<TokenId>::max();
  const auto id = [&](std::string_view key) {
    return static_cast<TokenId>(m.integer(fmt::format("tokenizer.ggml.{}_token_id", key), -1, kMax, -1));
  };
  Dict tokens;
  add_token(tokens, "bos_token", v.bos(), v);
  add_token(tokens, "eos_token", v.eos(), v);
  add_token(tokens, "unk_token", id("unknown"), v);
  add_token(tokens, "pad_token", id("padding"), v);
  return tokens;
}

}  // namespace

ChatTemplate::ChatTemplate(std::string source, std::string name, Dict tokens)
    : source_(std::move(source)),
      name_(std::move(name)),
      tokens_(std::move(tokens)),
      template_(std::in_place, source_, name_) {
  check(nullptr);
}

std::shared_ptr<const ChatTemplate> ChatTemplate::of_model(const Metadata& m, const Vocabulary& v,
                                                           std::string_view name) {
  std::shared_ptr<ChatTemplate> t(new ChatTemplate);
  t->tokens_ = special_tokens(m, v);
  t->source_ = m.text(kKey, "");
  t->name_ = name;
  if (t->source_.empty()) {
    const Fallback& fallback = choose_fallback(v);
    t->source_ = fallback.source;
    t->name_ = fmt::format("fallback {} (the file has no chat template)", fallback.name);
    t->fallback_ = &fallback;
  }
  try {
    t->template_.emplace(t->source_, t->name_);
    const std::string tool_use = fmt::format("{}.tool_use", kKey);
    if (m.has(tool_use)) t->tool_use_.emplace(m.text(tool_use), fmt::format("{}.tool_use", name));
    t->check(&v);
  } catch (const jinja::TemplateError& e) {
    t->error_ = e;
    t->findings_ = {fmt::format("the chat template cannot be used: {}", e.what())};
  }
  return t;
}

std::shared_ptr<const ChatTemplate> ChatTemplate::with_source(std::string source, std::string name) const {
  return std::make_shared<const ChatTemplate>(std::move(source), std::move(name), tokens_);
}

jinja::Rendered ChatTemplate::render(const Conversation& c, Time now, const Dict& tokens) const {
  if (error_) throw *error_;
  if (fallback_ != nullptr) {
    const std::string fault = fault_of(*fallback_, c);
    if (!fault.empty()) fail(ErrorCode::kBadInput, "{}: {}; another template can be given", name_, fault);
  }
  Dict globals = tokens_;
  for (const auto& [name, value] : tokens.items()) globals.set(name, value);
  for (const auto& [name, value] : c.variables.items()) globals.set(name, value);
  globals.set("messages", c.messages);
  // None where there are none, not undefined: templates were written against transformers, which does so.
  globals.set("tools", c.tools.is_missing() ? Value::none() : c.tools);
  globals.set("documents", c.documents.is_missing() ? Value::none() : c.documents);
  globals.set("add_generation_prompt", Value::boolean(c.add_generation_prompt));
  const bool with_tools = !c.tools.is_missing() && !c.tools.items().empty();
  const jinja::Template& chosen = with_tools && tool_use_ ? *tool_use_ : *template_;
  return chosen.render(Value::dict(std::move(globals)), {now, {}});
}

void ChatTemplate::check(const Vocabulary* vocabulary) {
  try {
    const Conversation one = trial({kTrial + 1, 1});
    const std::string asked = render(one, {}).text;
    Conversation open = one;
    open.add_generation_prompt = false;
    if (render(open, {}).text == asked)
      findings_.push_back("it writes no generation prompt: the model is not told that it is its turn");
    find_fault_of_bos(asked, vocabulary);
    find_dropped_roles();
  } catch (const jinja::TemplateError& e) {
    findings_.push_back(fmt::format("it refuses a single message of a user: {}", e.detail()));
  }
}

void ChatTemplate::find_dropped_roles() {
  std::span<const TrialMessage> messages = kTrial;
  std::string text;
  try {
    text = render(trial(messages), {}).text;
  } catch (const jinja::TemplateError& refused) {
    try {
      messages = messages.subspan(1);
      text = render(trial(messages), {}).text;
      findings_.push_back(fmt::format("it refuses system messages: {}", refused.detail()));
    } catch (const jinja::TemplateError& e) {
      findings_.push_back(fmt::format("it refuses a conversation of several turns: {}", e.detail()));
      return;
    }
  }
  std::set<std::string_view> dropped;
  for (const TrialMessage& m : messages) {
    if (text.find(m.content) == std::string::npos && dropped.insert(m.role).second)
      findings_.push_back(fmt::format("it drops messages of the role {}", m.role));
  }
}

void ChatTemplate::find_fault_of_bos(const std::string& text, const Vocabulary* vocabulary) {
  const Value* token = tokens_.find("bos_token");
  if (token == nullptr || token->str().empty()) return;
  const std::string bos(token->str());
  const bool written = text.starts_with(bos);
  if (text.starts_with(bos + bos)) {
    findings_.push_back(fmt::format("it writes {} twice at the beginning", bos));
  } else if (vocabulary != nullptr && vocabulary->add_bos() && !written && fallback_ == nullptr) {
    findings_.push_back(fmt::format("it does not write {}, which the file wants in front: it is added", bos));
  }
}

std::vector<TokenId> encode(const text::Tokenizer& tokenizer, const jinja::Rendered& rendered) {
  const std::vector<TokenId> ids = tokenizer.encode(rendered.text, rendered.owned);
  const Vocabulary& v = tokenizer.vocabulary();
  const bool missing = v.add_bos() && v.bos() >= 0 && (ids.empty() || ids.front() != v.bos());
  if (!missing) return ids;
  std::vector<TokenId> with_bos{v.bos()};
  with_bos.insert(with_bos.end(), ids.begin(), ids.end());
  return with_bos;
}

}  // namespace kelda::chat
