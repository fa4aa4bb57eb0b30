// What a Value points to.
#pragma once

#include <string>
#include <vector>

#include "jinja/object.h"
#include "jinja/value.h"

namespace kelda::jinja {

struct StringNode final : Node {
  Text text;
  std::size_t n_chars = 0;
  bool markup = false;
};

struct ListNode final : Node {
  std::vector<Value> items;
};

struct DictNode final : Node {
  Dict dict;
};

struct UndefinedNode final : Node {
  std::string message;  // if not empty, it is what using the value says
  std::string type;     // else, of what it is no member of; empty for a variable
  Value name;
};

}  // namespace kelda::jinja
