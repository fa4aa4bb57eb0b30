// A parsed template: expressions and statements, all owned by the Tree, so that nothing is destroyed
// recursively.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "jinja/builtins.h"
#include "jinja/operators.h"
#include "jinja/value.h"

namespace kelda::jinja {

// Where a name's value is: `hops` functions outwards from the one that runs, at `slot` of its frame. Set by
// resolve_scopes (scopes.h).
struct VarRef {
  int hops = 0;
  int slot = -1;
};

struct Expr {
  enum class Kind : uint8_t {
    kConst,    // value
    kName,     // name, ref
    kNsRef,    // name, attr in `value`: a target of `set`
    kTuple,    // items
    kList,     // items
    kDict,     // items: key, value, key, value, …
    kUnary,    // op a
    kBinary,   // a op b
    kAnd,      // a, b
    kOr,       // a, b
    kNot,      // a
    kConcat,   // items
    kCompare,  // a, then ops[i] items[i]
    kCond,     // b if a else c (c may be null)
    kAttr,     // a . value
    kItem,     // a [ b ]
    kSlice,    // a [ items[0] : items[1] : items[2] ], each may be null
    kCall,     // a ( arguments )
    kFilter,   // a | name ( arguments ); a is null for the body of a block
    kTest,     // a is name ( arguments )
  };
  Kind kind = Kind::kConst;
  int line = 0;
  int depth = 1;
  bool store = false;  // of kName: assigned, not read
  Op op = Op::kAdd;
  Expr* a = nullptr;
  Expr* b = nullptr;
  Expr* c = nullptr;
  std::vector<Expr*> items;  // also the positional arguments
  std::vector<Op> ops;
  std::vector<std::pair<Value, Expr*>> keywords;  // names are strings
  Expr* star = nullptr;                           // *arguments
  Expr* star_star = nullptr;                      // **arguments
  Value value;
  std::string name;
  VarRef ref;
  const Row* row = nullptr;  // the filter or test; null if there is none of that name
};

// What entering a scope does to one slot: look the name up in the globals, copy it from outside, or nothing.
struct Load {
  enum class Kind : uint8_t { kGlobal, kAlias, kMissing };
  Kind kind;
  int slot;
  std::string name;
  VarRef from;
};

struct Scope {
  std::vector<Load> loads;
  std::vector<int> slots;  // all, to be emptied on leaving
};

struct Stmt;
using Body = std::vector<Stmt*>;

struct Function {  // what has a frame of its own: the template, a macro, a block's caller, a recursive loop
  int n_slots = 0;
};

struct Branch {
  Expr* condition;  // null: else
  Body body;
};

struct Stmt {
  enum class Kind : uint8_t {
    kOutput,       // exprs
    kFor,          // target, exprs[0] iterated, test, body, else_body, recursive
    kIf,           // branches
    kSet,          // target = exprs[0]
    kSetBlock,     // target, filter, body
    kMacro,        // name, params, defaults, body
    kCallBlock,    // params, defaults, exprs[0] the call, body
    kGeneration,   // body
    kFilterBlock,  // filter, body
    kWith,         // targets and exprs, body
    kBreak,
    kContinue,
  };
  Kind kind;
  int line;
  std::string name;
  Expr* target = nullptr;
  Expr* test = nullptr;
  Expr* filter = nullptr;
  std::vector<Expr*> exprs;
  std::vector<Expr*> targets;
  std::vector<Expr*> params;    // names
  std::vector<Expr*> defaults;  // of the last parameters
  Body body, else_body;
  std::vector<Branch> branches;
  bool recursive = false;

  // Set by resolve_scopes.
  VarRef ref;  // of a macro's name
  Scope scope, else_scope, test_scope;
  Function function, test_function;  // of a macro, a call block or a recursive loop; of a loop's test
  int loop_slot = -1;                // of `loop`, if the body uses it
  int caller_slot = -1, kwargs_slot = -1, varargs_slot = -1;
  Expr* test_target = nullptr;  // the target again, for the test's own frame
};

struct Tree {
  std::deque<Expr> exprs;
  std::deque<Stmt> stmts;
  Body body;
  Scope scope;
  Function function;
};

}  // namespace kelda::jinja
