// The words of a template.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jinja/value.h"

namespace kelda::jinja {

struct Token {
  enum class Kind : uint8_t {
    kData,
    kBlockBegin,
    kBlockEnd,
    kVariableBegin,
    kVariableEnd,
    kName,
    kString,
    kNumber,
    kOperator,
    kEnd
  };
  Kind kind;
  int line;
  std::string text;  // data, a name, a string's content, an operator
  Value number;

  bool is(Kind k) const { return kind == k; }
  bool is_operator(std::string_view op) const { return kind == Kind::kOperator && text == op; }
  bool is_name(std::string_view name) const { return kind == Kind::kName && text == name; }
};

// Cuts a template into tokens, the last of which is kEnd. With Jinja2's trim_blocks and lstrip_blocks, as
// transformers sets them. Throws Failure (kSyntax) with the line.
std::vector<Token> tokenize(std::string_view source);

}  // namespace kelda::jinja
