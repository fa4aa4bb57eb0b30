#include "chat/left_out.h"

#include <fmt/format.h>

#include "base/quote.h"
#include "base/trim.h"
#include "jinja/json.h"
#include "jinja/search.h"

namespace kelda::chat {
namespace {

using jinja::Provenance;
using jinja::Value;

constexpr std::size_t kMostNotes = 8;  // each costs a look at all of the rendering

class Search {
 public:
  explicit Search(std::string_view rendered) : rendered_(rendered) {}

  void message(const Value& message, const std::string& name) {
    const Value* role = message.as_dict().find("role");
    const Value* content = message.as_dict().find("content");
    if (content != nullptr && content->is_list()) {
      for (std::size_t j = 0; j < content->items().size(); ++j)
        part(content->items()[j], fmt::format("{}.content[{}]", name, j));
    } else if (content != nullptr) {
      text(*content, fmt::format("{}.content (role {})", name, quote(role->str(), 40)));
    }
    const Value* calls = message.as_dict().find("tool_calls");
    if (calls == nullptr || !calls->is_list()) return;
    for (std::size_t j = 0; j < calls->items().size(); ++j)
      function(calls->items()[j], fmt::format("{}.tool_calls[{}]", name, j));
  }

  void tools(const Value& list) {
    if (!list.is_list()) return;
    for (std::size_t i = 0; i < list.items().size(); ++i)
      function(list.items()[i], fmt::format("tools[{}]", i));
  }

  void documents(const Value& list) {
    if (!list.is_list()) return;
    for (std::size_t i = 0; i < list.items().size(); ++i) {
      if (!list.items()[i].is_dict()) continue;
      for (const auto& [key, value] : list.items()[i].as_dict().items())
        text(value, fmt::format("documents[{}].{}", i, key.str()));
    }
  }

  std::vector<std::string> found() && { return std::move(found_); }

 private:
  void part(const Value& part, const std::string& name) {
    if (!part.is_dict()) {
      text(part, name);
      return;
    }
    const Value* content = part.as_dict().find("text");
    if (content != nullptr) text(*content, name + ".text");
  }

  // {"name", "description"}, or that under "function".
  void function(const Value& tool, const std::string& name) {
    if (!tool.is_dict()) return;
    const Value* inner = tool.as_dict().find("function");
    const Value& function = inner != nullptr && inner->is_dict() ? *inner : tool;
    for (const char* field : {"name", "description"}) {
      const Value* value = function.as_dict().find(field);
      if (value != nullptr && !text(*value, fmt::format("{}: its {}", name, field))) return;
    }
  }

  // Whether it is there, or is nothing that could be.
  bool text(const Value& value, const std::string& name) {
    if (found_.size() > kMostNotes || !value.is_string() || holds(value.str())) return true;
    found_.push_back(found_.size() == kMostNotes ? "… and perhaps more"
                                                 : fmt::format("{} is not in the rendering as it is", name));
    return false;
  }

  // As it is, or as JSON has it.
  bool holds(std::string_view text) {
    text = trimmed(text);
    if (text.empty() || finds(text)) return true;
    const std::string json = jinja::dump_json(Value::string(std::string(text), Provenance::kInput));
    return json.size() != text.size() + 2 && finds(std::string_view(json).substr(1, json.size() - 2));
  }

  // Texts mostly come in order: so the next is looked for behind the latest first.
  bool finds(std::string_view text) {
    for (const std::size_t from : {at_, std::size_t{0}}) {
      const std::size_t found = jinja::find_text(rendered_, text, from);
      if (found == std::string_view::npos) continue;
      at_ = found;
      return true;
    }
    return false;
  }

  std::string_view rendered_;
  std::size_t at_ = 0;  // of the latest that was found
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> left_out(const Conversation& c, std::string_view rendered) {
  Search search(rendered);
  search.tools(c.tools);
  search.documents(c.documents);
  for (std::size_t i = 0; i < c.messages.items().size(); ++i)
    search.message(c.messages.items()[i], fmt::format("messages[{}]", i));
  return std::move(search).found();
}

}  // namespace kelda::chat
