#include "context/turns.h"

#include <algorithm>

namespace kelda::context {
namespace {

std::vector<bool> marked(std::size_t n, std::span<const Turn> turns) {
  std::vector<bool> in(n, false);
  for (const Turn& turn : turns) {
    for (const std::size_t i : turn) in[i] = true;
  }
  return in;
}

std::vector<jinja::Value> chosen(const std::vector<jinja::Value>& messages, std::span<const Turn> turns,
                                 bool in_turns) {
  const std::vector<bool> in = marked(messages.size(), turns);
  std::vector<jinja::Value> out;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (in[i] == in_turns) out.push_back(messages[i]);
  }
  return out;
}

}  // namespace

std::vector<Turn> droppable_turns(const std::vector<jinja::Value>& messages) {
  std::size_t last_user = messages.size();  // none
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (role_of(messages[i]) == "user") last_user = i;
  }
  std::vector<Turn> before, after;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (is_pinned(messages[i]) || i == last_user) continue;
    const bool early = last_user < messages.size() && i < last_user;
    std::vector<Turn>& turns = early ? before : after;
    if (turns.empty() || role_of(messages[i]) == (early ? "user" : "assistant")) turns.emplace_back();
    turns.back().push_back(i);
  }
  if (!after.empty()) after.pop_back();
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

std::vector<jinja::Value> without(const std::vector<jinja::Value>& messages, std::span<const Turn> turns) {
  return chosen(messages, turns, false);
}

std::vector<jinja::Value> only(const std::vector<jinja::Value>& messages, std::span<const Turn> turns) {
  return chosen(messages, turns, true);
}

}  // namespace kelda::context
