// One rendering: its budget, its environment, and the making of values that are counted in the budget.
#pragma once

#include <memory>
#include <vector>

#include "jinja/limits.h"
#include "jinja/object.h"
#include "jinja/template.h"
#include "jinja/value.h"

namespace kelda::jinja {

class Runtime {
 public:
  explicit Runtime(const Environment& environment) : budget_(environment.limits), environment_(environment) {}
  ~Runtime() { clear_kept(); }
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  Budget& budget() { return budget_; }
  const Environment& environment() const { return environment_; }

  // Values, counted: each throws Failure where a limit is passed.
  Value text(Text text, bool markup = false);
  Value string(std::string bytes, Provenance p) { return text(Text(std::move(bytes), p)); }
  // `p`: of the brackets, which belong to whoever makes the list.
  Value list(std::vector<Value> items, Provenance p);
  Value tuple(std::vector<Value> items, Provenance p);
  Value dict(Dict dict, Provenance p);
  // Undefined as a member of `v`.
  Value no_member(const Value& v, const Value& name);
  Value object(std::shared_ptr<Object> object);
  // An object that can be changed, or takes hold of what it meets, lives until the rendering ends, so that a
  // chain of such objects is never destroyed recursively and a circle of them is opened.
  Value kept(std::shared_ptr<Object> object);
  void keep(std::shared_ptr<Object> object) { kept_.push_back(std::move(object)); }

  // Python's operations on values that walk over them; the walk is counted.
  bool equal(const Value& a, const Value& b);
  const Value* find(const Dict& dict, const Value& key);
  void set(Dict& dict, const Value& key, Value value);
  bool truthy(const Value& v);
  // Throws "object of type 'int' has no len()".
  std::size_t length(const Value& v);
  Value call(const Value& callee, Args& args);

  // Empties the objects that are kept.
  void clear_kept();

  int line = 1;  // being executed

 private:
  Value counted(Value v, std::size_t n_bytes);

  Budget budget_;
  const Environment& environment_;
  std::vector<std::shared_ptr<Object>> kept_;
};

}  // namespace kelda::jinja
