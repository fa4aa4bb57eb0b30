// What of a conversation goes together, and what may go.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "context/given.h"

namespace kelda::context {

using Turn = std::vector<std::size_t>;  // indices of messages, ascending

// What may be dropped, oldest first. Before the last message of the user: turns, each a message of the user
// and all until the next one, so that a call of a tool and its result go together. After it: messages of the
// assistant with the results of the tools that they call, but not the last such group. System messages are in
// none.
std::vector<Turn> droppable_turns(const std::vector<jinja::Value>& messages);

// The messages that are in none of the turns, and those that are.
std::vector<jinja::Value> without(const std::vector<jinja::Value>& messages, std::span<const Turn> turns);
std::vector<jinja::Value> only(const std::vector<jinja::Value>& messages, std::span<const Turn> turns);

}  // namespace kelda::context
