// The names of one scope while a template is analysed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "jinja/ast.h"

namespace kelda::jinja {

// The slots of one function's frame. Scopes of the same level that follow one another share slots.
class FunctionSlots {
 public:
  FunctionSlots(Function& function, int functions_around) : depth(functions_around), function_(function) {}
  int slot(int level, const std::string& name);
  const int depth;  // how many functions are around it

 private:
  Function& function_;
  std::map<std::pair<int, std::string>, int> slots_;
};

struct Place {
  FunctionSlots* function;
  int slot;
};

class Symbols {
 public:
  Symbols(FunctionSlots& function, Symbols* parent)
      : parent_(parent), level_(parent ? parent->level_ + 1 : 0), function_(&function) {}

  void load(const std::string& name);
  void store(const std::string& name);
  int declare(const std::string& name);  // a parameter; its slot
  // Takes over what the branches of an `if`, which began as copies of this, have learned.
  void merge(const std::vector<Symbols>& branches);

  VarRef ref(const std::string& name) const;  // of a name that was loaded or stored
  Scope scope() const;
  FunctionSlots& function() const { return *function_; }

 private:
  struct Source {
    Load::Kind kind = Load::Kind::kMissing;
    bool parameter = false;
    std::string name{};
    Place from{};
  };
  const Place* find(const std::string& name) const;
  Place& define(const std::string& name, Source source);
  VarRef relative(const Place& place) const;

  Symbols* parent_;
  int level_;
  FunctionSlots* function_;
  std::map<std::string, Place> refs_;
  std::map<int, Source> loads_;  // by slot
  std::set<std::string> stores_;
};

}  // namespace kelda::jinja
