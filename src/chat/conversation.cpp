#include "chat/conversation.h"

#include <ctime>
#include <utility>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/quote.h"
#include "jinja/json.h"

namespace kelda::chat {
namespace {

using jinja::Dict;
using jinja::Provenance;
using jinja::Value;

// A list of objects, at most `max` of them; `what` is the field's name.
void check_objects(const Value& list, std::string_view what, std::size_t max) {
  if (!list.is_list()) fail(ErrorCode::kBadInput, "{}: must be a list of objects", what);
  if (list.items().size() > max)
    fail(ErrorCode::kBadInput, "{}: {} are given and at most {} are possible", what, list.items().size(),
         max);
  for (std::size_t i = 0; i < list.items().size(); ++i)
    if (!list.items()[i].is_dict()) fail(ErrorCode::kBadInput, "{}[{}]: must be an object", what, i);
}

void check_messages(const Value& messages) {
  check_objects(messages, "messages", kMaxMessages);
  if (messages.items().empty()) fail(ErrorCode::kBadInput, "messages: at least one is needed");
  for (std::size_t i = 0; i < messages.items().size(); ++i) {
    const Value* role = messages.items()[i].as_dict().find("role");
    if (role == nullptr) fail(ErrorCode::kBadInput, "messages[{}].role: is missing", i);
    if (!role->is_string() || role->str().empty())
      fail(ErrorCode::kBadInput, "messages[{}].role: must be a text such as \"user\"", i);
  }
}

int digits(std::string_view text, std::size_t begin, std::size_t n) {
  return parse_number<int>(text.substr(begin, n)).value_or(-1);
}

// "2026-01-02T03:04:05"
Time parse_time(std::string_view text) {
  if (text.size() == 19 && text[4] == '-' && text[7] == '-' && text[10] == 'T' && text[13] == ':' &&
      text[16] == ':') {
    const int year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
    const int hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    const bool in_range = year >= 1 && month >= 1 && day >= 1 && date.ok() && hour >= 0 && hour < 24 &&
                          minute >= 0 && minute < 60 && second >= 0 && second < 60;
    if (in_range)
      return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
             std::chrono::seconds(second);
  }
  fail(ErrorCode::kBadInput, "now: must be a time such as \"2026-01-02T03:04:05\"; got {}", quote(text));
}

Dict parse_tokens(const Value& tokens) {
  if (!tokens.is_dict()) fail(ErrorCode::kBadInput, "tokens: must be an object of texts");
  Dict owned;
  for (const auto& [name, token] : tokens.as_dict().items()) {
    if (!token.is_string()) fail(ErrorCode::kBadInput, "tokens.{}: must be a text", name.str());
    owned.set(name.str(), Value::string(std::string(token.str()), Provenance::kOwned));
  }
  return owned;
}

// Names that the rendering sets itself.
bool is_reserved(std::string_view name) {
  return name == "messages" || name == "tools" || name == "documents" || name == "add_generation_prompt";
}

Dict parse_variables(const Value& variables) {
  if (!variables.is_dict()) fail(ErrorCode::kBadInput, "chat_template_kwargs: must be an object");
  for (const auto& item : variables.as_dict().items())
    if (is_reserved(item.first.str()))
      fail(ErrorCode::kBadInput, "chat_template_kwargs.{}: give it as a field of its own", item.first.str());
  return variables.as_dict();
}

void take_field(std::string_view name, const Value& value, ConversationFile& file) {
  Conversation& c = file.conversation;
  if (name == "messages") {
    check_messages(value);
    c.messages = value;
  } else if (name == "tools" || name == "documents") {
    if (value.is_none()) return;
    check_objects(value, name, kMaxTools);
    (name == "tools" ? c.tools : c.documents) = value;
  } else if (name == "add_generation_prompt") {
    if (!value.is_bool()) fail(ErrorCode::kBadInput, "add_generation_prompt: must be true or false");
    c.add_generation_prompt = value.as_bool();
  } else if (name == "chat_template_kwargs") {
    c.variables = parse_variables(value);
  } else if (name == "tokens") {
    file.tokens = parse_tokens(value);
  } else if (name == "now") {
    if (!value.is_string()) fail(ErrorCode::kBadInput, "now: must be a text");
    file.now = parse_time(value.str());
  } else {
    fail(ErrorCode::kBadInput,
         "unknown field {}; known: messages, tools, documents, add_generation_prompt, chat_template_kwargs, "
         "tokens, now",
         quote(name));
  }
}

}  // namespace

Conversation conversation_of(const std::vector<Message>& messages) {
  if (messages.empty()) fail(ErrorCode::kBadInput, "messages: at least one is needed");
  if (messages.size() > kMaxMessages)
    fail(ErrorCode::kBadInput, "messages: {} are given and at most {} are possible", messages.size(),
         kMaxMessages);
  std::vector<Value> list;
  for (const Message& m : messages) {
    Dict dict;
    dict.set("role", Value::string(m.role, Provenance::kInput), Provenance::kInput);
    dict.set("content", Value::string(m.content, Provenance::kInput), Provenance::kInput);
    list.push_back(Value::dict(std::move(dict), Provenance::kInput));
  }
  Conversation c;
  c.messages = Value::list(std::move(list), Provenance::kInput);
  return c;
}

ConversationFile parse_conversation_file(std::string_view json) {
  const Value root = jinja::parse_json(json, Provenance::kInput, {.unique_keys = true});
  if (!root.is_dict()) fail(ErrorCode::kBadInput, "a conversation is a JSON object with the field messages");
  ConversationFile file;
  for (const auto& [name, value] : root.as_dict().items()) take_field(name.str(), value, file);
  if (file.conversation.messages.is_missing()) fail(ErrorCode::kBadInput, "messages: is missing");
  return file;
}

Time local_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return std::chrono::time_point_cast<Time::duration>(std::chrono::system_clock::from_time_t(now)) +
         std::chrono::seconds(local.tm_gmtoff);
}

}  // namespace kelda::chat
