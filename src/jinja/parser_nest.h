// One level of the parser's recursion, for as long as it lives.
#pragma once

#include "jinja/limits.h"
#include "jinja/parser.h"

namespace kelda::jinja {

struct Parser::Nest {
  explicit Nest(Parser& p) : parser(p) {
    if (++parser.nesting_ > kMaxNesting) {
      parser.fail(fmt::format("expressions and blocks are nested deeper than {}", kMaxNesting));
    }
  }
  ~Nest() { --parser.nesting_; }
  Nest(const Nest&) = delete;
  Nest& operator=(const Nest&) = delete;
  Parser& parser;
};

}  // namespace kelda::jinja
