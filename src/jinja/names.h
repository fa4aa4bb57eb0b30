// Walks over the names of a tree, in the order in which Jinja2 walks.
#pragma once

#include <string>
#include <vector>

#include "jinja/ast.h"
#include "jinja/limits.h"

namespace kelda::jinja {

// Which of `names` are read in the statements before anything assigns them there.
std::vector<std::string> undeclared(const Body& body, std::vector<std::string> names, Effort& effort);
// The line of the first assignment to `name` in the statement or inside of it; 0 if there is none.
int line_of_store(const Stmt& stmt, const std::string& name, Effort& effort);

}  // namespace kelda::jinja
