#include "chat/left_out.h"

#include <fmt/format.h>

#include "base/quote.h"

namespace kelda::chat {
namespace {

using jinja::Value;

class Search {
 public:
  explicit Search(std::string_view rendered) : rendered_(rendered) {}

  void message(const Value& message, std::size_t i) {
    const Value* role = message.as_dict().find("role");
    const Value* content = message.as_dict().find("content");
    if (content == nullptr) return;
    const std::string name = fmt::format("messages[{}].content", i);
    if (content->is_list()) {
      for (std::size_t j = 0; j < content->items().size(); ++j)
        part(content->items()[j], fmt::format("{}[{}]", name, j));
    } else {
      text(*content, fmt::format("{} (role {})", name, quote(role->str(), 40)));
    }
  }

  // One of them that is shown by its name shows that the template knows tools.
  void tools(const Value& list) {
    if (!list.is_list() || list.items().empty()) return;
    for (const Value& tool : list.items()) {
      const Value* inner = tool.as_dict().find("function");
      const Value& function = inner != nullptr && inner->is_dict() ? *inner : tool;
      const Value* name = function.as_dict().find("name");
      if (name == nullptr || !name->is_string() || holds(name->str())) return;
    }
    found_.push_back("the tools are not in the rendering");
  }

  std::vector<std::string> found() && { return std::move(found_); }

 private:
  void part(const Value& part, const std::string& name) {
    if (!part.is_dict()) return text(part, name);
    const Value* content = part.as_dict().find("text");
    if (content != nullptr) text(*content, name + ".text");
  }

  void text(const Value& value, const std::string& name) {
    if (value.is_string() && !holds(value.str()))
      found_.push_back(fmt::format("{} is not in the rendering as it is", name));
  }

  bool holds(std::string_view text) const {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return true;
    return rendered_.find(text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first)) !=
           std::string_view::npos;
  }

  std::string_view rendered_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> left_out(const Conversation& c, std::string_view rendered) {
  Search search(rendered);
  for (std::size_t i = 0; i < c.messages.items().size(); ++i) search.message(c.messages.items()[i], i);
  search.tools(c.tools);
  return std::move(search).found();
}

}  // namespace kelda::chat
