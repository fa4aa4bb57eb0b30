#include "context/given.h"

#include <fmt/format.h>

#include <utility>

#include "jinja/json.h"

namespace kelda::context {
namespace {

using jinja::Dict;
using jinja::Provenance;
using jinja::Value;

Value input(std::string text) { return Value::string(std::move(text), Provenance::kInput); }

Value with_field(const Value& dict, std::string_view name, Value value) {
  Dict changed = dict.as_dict();
  changed.set(name, std::move(value));
  return Value::dict(std::move(changed), Provenance::kInput);
}

const Value* text_of_part(const Value& part) {
  const Value* text = part.is_dict() ? part.as_dict().find("text") : nullptr;
  return text != nullptr && text->is_string() ? text : nullptr;
}

// The text itself; what text_at() has found is there.
const Value* find_text(const Value& message, const TextPlace& place) {
  const Value* content = message.as_dict().find("content");
  if (content == nullptr) return nullptr;
  if (!place.part) return content->is_string() ? content : nullptr;
  return text_of_part(content->items()[*place.part]);
}

std::string words_of(const Value& message) {
  const Value* content = message.as_dict().find("content");
  if (content == nullptr || content->is_none()) return {};
  if (content->is_string()) return std::string(content->str());
  if (!content->is_list()) return jinja::dump_json(*content);
  std::string words;
  for (const Value& part : content->items()) {
    const Value* text = text_of_part(part);
    if (!words.empty()) words += '\n';
    words += text != nullptr ? std::string(text->str()) : jinja::dump_json(part);
  }
  return words;
}

std::string capitalized(std::string_view role) {
  std::string name(role);
  if (!name.empty() && name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

}  // namespace

std::vector<TokenId> ids_of(const Given& given, const text::Tokenizer& tokenizer) {
  if (given.is_raw()) return tokenizer.encode_prompt(given.raw, given.special).ids;
  return chat::encode(tokenizer, given.chat_template->render(given.conversation, given.now));
}

Given asked_like(const Given& like, std::string text) {
  Given asked{.chat_template = like.chat_template, .now = like.now};
  if (like.is_raw()) {
    asked.raw = std::move(text);
  } else {
    asked.conversation = chat::conversation_of({{"user", std::move(text)}});
    asked.conversation.variables = like.conversation.variables;
  }
  return asked;
}

const std::vector<Value>& messages_of(const Given& given) { return given.conversation.messages.items(); }

std::string_view role_of(const Value& message) {
  const Value* role = message.as_dict().find("role");
  return role != nullptr && role->is_string() ? role->str() : std::string_view();
}

bool is_pinned(const Value& message) {
  const std::string_view role = role_of(message);
  return role == "system" || role == "developer";
}

Given with_messages(const Given& given, std::vector<Value> messages) {
  Given changed = given;
  changed.conversation.messages = Value::list(std::move(messages), Provenance::kInput);
  return changed;
}

std::optional<TextPlace> longest_text(const Given& given) {
  std::optional<TextPlace> longest;
  std::size_t n_bytes = 0;
  const auto consider = [&](const TextPlace& place, const Value* text) {
    if (text == nullptr || text->str().size() <= n_bytes) return;
    n_bytes = text->str().size();
    longest = place;
  };
  const std::vector<Value>& messages = messages_of(given);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (is_pinned(messages[i])) continue;
    const Value* content = messages[i].as_dict().find("content");
    if (content == nullptr) continue;
    if (content->is_string()) consider({i}, content);
    if (!content->is_list()) continue;
    for (std::size_t j = 0; j < content->items().size(); ++j)
      consider({i, j}, text_of_part(content->items()[j]));
  }
  return longest;
}

std::string_view text_at(const Given& given, const TextPlace& place) {
  const Value* text = find_text(messages_of(given)[place.message], place);
  return text != nullptr ? text->str() : std::string_view();
}

Given with_text(const Given& given, const TextPlace& place, std::string text) {
  std::vector<Value> messages = messages_of(given);
  Value& message = messages[place.message];
  if (place.part) {
    std::vector<Value> parts = message.as_dict().find("content")->items();
    parts[*place.part] = with_field(parts[*place.part], "text", input(std::move(text)));
    message = with_field(message, "content", Value::list(std::move(parts), Provenance::kInput));
  } else {
    message = with_field(message, "content", input(std::move(text)));
  }
  return with_messages(given, std::move(messages));
}

Given with_text_before(const Given& given, std::size_t message, const std::string& text) {
  std::vector<Value> messages = messages_of(given);
  const Value* content = messages[message].as_dict().find("content");
  if (content != nullptr && content->is_list()) {
    Dict part;
    part.set("type", input("text"));
    part.set("text", input(text + "\n\n"));
    std::vector<Value> parts = {Value::dict(std::move(part), Provenance::kInput)};
    parts.insert(parts.end(), content->items().begin(), content->items().end());
    messages[message] =
        with_field(messages[message], "content", Value::list(std::move(parts), Provenance::kInput));
  } else {
    const std::string after = words_of(messages[message]);
    messages[message] = with_field(messages[message], "content", input(text + "\n\n" + after));
  }
  return with_messages(given, std::move(messages));
}

std::string transcript(const std::vector<Value>& messages) {
  std::string out;
  for (const Value& message : messages) {
    std::string words = words_of(message);
    const Value* calls = message.as_dict().find("tool_calls");
    if (calls != nullptr && !calls->is_none())
      words += fmt::format("{}calls {}", words.empty() ? "" : "\n", jinja::dump_json(*calls));
    out += fmt::format("{}{}: {}", out.empty() ? "" : "\n\n", capitalized(role_of(message)), words);
  }
  return out;
}

}  // namespace kelda::context
