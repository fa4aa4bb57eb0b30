// The names of one scope while a template is analysed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "jinja/ast.h"
#include "jinja/limits.h"

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
  // What one branch of an `if` has learned beyond what was known before it.
  struct Learned;

  Symbols(FunctionSlots& function, const Symbols* parent, Effort& effort)
      : parent_(parent), level_(parent ? parent->level_ + 1 : 0), function_(&function), effort_(effort) {}

  void load(const std::string& name);
  void store(const std::string& name);
  int declare(const std::string& name);  // a parameter; its slot

  // analyse() may load and store; what that taught is taken out of this again. Costs as much as was learned.
  template <typename Analyse>
  Learned apart(const Analyse& analyse);
  // Takes over what branches have learned, each apart.
  void merge(const std::vector<Learned>& branches);

  VarRef ref(const std::string& name) const;  // of a name that was loaded or stored
  Scope scope() const;
  FunctionSlots& function() const { return *function_; }
  Effort& effort() const { return effort_; }

 private:
  struct Source {
    Load::Kind kind = Load::Kind::kMissing;
    bool parameter = false;
    std::string name{};
    Place from{};
  };
  // To be undone: a name that became known, one that was stored, a load that was set.
  struct Change {
    enum class Kind { kRef, kStore, kLoad };
    Kind kind;
    std::string name;
    int slot = 0;
    std::optional<Source> before{};
  };
  const Place* find(const std::string& name) const;
  const Place& define(const std::string& name, Source source);
  void add_ref(const std::string& name, const Place& place);
  void add_store(const std::string& name);
  void set_load(int slot, Source source);
  Learned take_back(std::size_t n_changes);
  VarRef relative(const Place& place) const;

  const Symbols* parent_;
  int level_;
  FunctionSlots* function_;
  Effort& effort_;
  std::map<std::string, Place> refs_;
  std::map<int, Source> loads_;  // by slot
  std::set<std::string> stores_;
  std::vector<Change> changes_;  // since the outermost apart()
  int apart_ = 0;                // how many are running
};

struct Symbols::Learned {
  std::map<std::string, Place> refs;
  std::map<int, Source> loads;
  std::set<std::string> stores;
};

template <typename Analyse>
Symbols::Learned Symbols::apart(const Analyse& analyse) {
  const std::size_t begin = changes_.size();
  ++apart_;
  analyse();
  --apart_;
  return take_back(begin);
}

}  // namespace kelda::jinja
