// Which variable a name means.
#pragma once

#include <string>

#include "jinja/ast.h"

namespace kelda::jinja {

// Gives every name of the tree its slot, as Jinja2's compiler does: a block (loop body, macro, set block,
// with) has its own variables, which begin as copies of the outer ones if they are assigned there; an `if`
// has none of its own; a macro sees the variables around its definition as they are when it runs. Throws
// Failure (kSyntax) for unknown filters and tests outside of conditions and for assignments to `loop` inside
// a loop.
void resolve_scopes(Tree& tree);

// What is said of a name that is no filter, no test.
// `found`: " found", as Jinja2 adds where a template that runs comes upon it.
std::string unknown_filter(const std::string& name, const char* found = "");
std::string unknown_test(const std::string& name, const char* found = "");

}  // namespace kelda::jinja
