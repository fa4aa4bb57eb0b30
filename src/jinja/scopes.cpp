#include "jinja/scopes.h"

#include <algorithm>

#include "jinja/errors.h"
#include "jinja/names.h"
#include "jinja/repr.h"
#include "jinja/symbols.h"

namespace kelda::jinja {
namespace {

// Notes what the expressions and statements of one scope read and assign, without entering inner scopes.
class Analysis {
 public:
  explicit Analysis(Symbols& symbols) : symbols_(symbols) {}

  void expr(const Expr* e, bool parameter = false) {
    if (!e) return;
    symbols_.effort().spend(1);
    if (e->kind == Expr::Kind::kName) {
      if (parameter) {
        symbols_.declare(e->name);
      } else if (e->store) {
        symbols_.store(e->name);
      } else {
        symbols_.load(e->name);
      }
      return;
    }
    if (e->kind == Expr::Kind::kNsRef) return symbols_.load(e->name);
    for (const Expr* child : {e->a, e->b, e->c}) expr(child, parameter);
    for (const Expr* child : e->items) expr(child, parameter);
    for (const auto& [name, child] : e->keywords) expr(child);
    expr(e->star);
    expr(e->star_star);
  }
  void body(const Body& statements) {
    for (const Stmt* s : statements) stmt(*s);
  }
  void stmt(const Stmt& s) {
    switch (s.kind) {
      case Stmt::Kind::kMacro:
        return symbols_.store(s.name);
      case Stmt::Kind::kIf:
        return branches(s);
      case Stmt::Kind::kFilterBlock:
        return expr(s.filter);
      case Stmt::Kind::kSet:
        expr(s.exprs[0]);
        return expr(s.target);
      case Stmt::Kind::kSetBlock:
        return expr(s.target);
      case Stmt::Kind::kOutput:
      case Stmt::Kind::kFor:
      case Stmt::Kind::kCallBlock:
      case Stmt::Kind::kWith:
        for (const Expr* e : s.exprs) expr(e);
        return;
      default:
        return;
    }
  }

 private:
  void branches(const Stmt& s) {
    expr(s.branches[0].condition);
    const auto learned = [this](const Body& statements) { return symbols_.apart([&] { body(statements); }); };
    std::vector<Symbols::Learned> all = {learned(s.branches[0].body)};
    all.push_back(symbols_.apart([&] {
      for (std::size_t i = 1; i < s.branches.size(); ++i) {
        if (!s.branches[i].condition) continue;
        expr(s.branches[i].condition);
        symbols_.merge({learned(s.branches[i].body)});
      }
    }));
    if (!s.branches.back().condition) all.push_back(learned(s.branches.back().body));
    symbols_.merge(all);
  }

  Symbols& symbols_;
};

// Gives names their slots, entering inner scopes. `soft`: inside a condition, where an unknown filter is only
// an error if it is reached.
class Resolver {
 public:
  explicit Resolver(Tree& tree) : tree_(tree) {}

  void template_body() {
    FunctionSlots slots(tree_.function, 0);
    Symbols symbols(slots, nullptr, effort_);
    Analysis(symbols).body(tree_.body);
    tree_.scope = symbols.scope();
    body(tree_.body, symbols, false);
  }

 private:
  [[noreturn]] static void fail(const std::string& what, int line) {
    throw Failure(Raised::kSyntax, what, line);
  }

  void expr(Expr* e, Symbols& symbols, bool soft) {
    if (!e) return;
    effort_.spend(1);
    if (e->kind == Expr::Kind::kName || e->kind == Expr::Kind::kNsRef) e->ref = symbols.ref(e->name);
    if (e->kind == Expr::Kind::kFilter && !e->row && !soft) fail(unknown_filter(e->name), e->line);
    if (e->kind == Expr::Kind::kTest && !e->row && !soft) fail(unknown_test(e->name), e->line);
    const bool inside = soft || e->kind == Expr::Kind::kCond;
    for (Expr* child : {e->a, e->b, e->c}) expr(child, symbols, inside);
    for (Expr* child : e->items) expr(child, symbols, inside);
    for (const auto& [name, child] : e->keywords) expr(child, symbols, inside);
    expr(e->star, symbols, inside);
    expr(e->star_star, symbols, inside);
  }
  void exprs(std::vector<Expr*>& all, Symbols& symbols, bool soft) {
    for (Expr* e : all) expr(e, symbols, soft);
  }
  void body(Body& statements, Symbols& symbols, bool soft) {
    for (Stmt* s : statements) stmt(*s, symbols, soft);
  }

  void stmt(Stmt& s, Symbols& symbols, bool soft) {
    switch (s.kind) {
      case Stmt::Kind::kFor:
        return loop(s, symbols, soft);
      case Stmt::Kind::kIf:
        for (Branch& branch : s.branches) {
          expr(branch.condition, symbols, true);
          body(branch.body, symbols, true);
        }
        return;
      case Stmt::Kind::kMacro:
        s.ref = symbols.ref(s.name);
        return macro(s, symbols);
      case Stmt::Kind::kCallBlock:
        exprs(s.exprs, symbols, soft);
        return macro(s, symbols);
      case Stmt::Kind::kGeneration:
        return macro(s, symbols);
      case Stmt::Kind::kSetBlock:
        expr(s.target, symbols, soft);
        return inner(s, symbols);
      case Stmt::Kind::kFilterBlock:
        return inner(s, symbols);
      case Stmt::Kind::kWith:
        exprs(s.exprs, symbols, soft);
        return inner(s, symbols);
      default:
        exprs(s.exprs, symbols, soft);
        return expr(s.target, symbols, soft);
    }
  }

  // A scope of its own in the same function.
  void inner(Stmt& s, Symbols& outer) {
    Symbols symbols(outer.function(), &outer, effort_);
    Analysis analysis(symbols);
    for (const Expr* target : s.targets) analysis.expr(target, true);
    analysis.body(s.body);
    analysis.expr(s.filter);
    s.scope = symbols.scope();
    exprs(s.targets, symbols, false);
    expr(s.filter, symbols, false);
    body(s.body, symbols, false);
  }

  Expr* copy_target(const Expr& target) {
    tree_.exprs.push_back(target);
    Expr* copy = &tree_.exprs.back();
    for (Expr*& item : copy->items) item = copy_target(*item);
    return copy;
  }

  void loop_test(Stmt& s, Symbols& outer) {
    FunctionSlots slots(s.test_function, outer.function().depth + 1);
    Symbols symbols(slots, &outer, effort_);
    Analysis(symbols).expr(s.target, true);
    Analysis(symbols).expr(s.test);
    s.test_scope = symbols.scope();
    s.test_target = copy_target(*s.target);
    expr(s.test_target, symbols, false);
    expr(s.test, symbols, false);
  }

  void loop(Stmt& s, Symbols& outer, bool soft) {
    if (const int line = line_of_store(s, "loop", effort_)) {
      fail("Can't assign to special loop variable in for-loop target", line);
    }
    exprs(s.exprs, outer, soft);
    if (s.test) loop_test(s, outer);
    FunctionSlots own(s.function, outer.function().depth + 1);
    FunctionSlots& slots = s.recursive ? own : outer.function();
    Symbols symbols(slots, &outer, effort_), otherwise(slots, &outer, effort_);
    if (s.recursive || !undeclared(s.body, {"loop"}, effort_).empty()) s.loop_slot = symbols.declare("loop");
    Analysis(symbols).expr(s.target, true);
    Analysis(symbols).body(s.body);
    Analysis(otherwise).body(s.else_body);
    s.scope = symbols.scope();
    s.else_scope = otherwise.scope();
    expr(s.target, symbols, false);
    body(s.body, symbols, false);
    body(s.else_body, otherwise, false);
  }

  void macro(Stmt& s, Symbols& outer) {
    FunctionSlots slots(s.function, outer.function().depth + 1);
    Symbols symbols(slots, &outer, effort_);
    Analysis analysis(symbols);
    for (const Expr* param : s.params) analysis.expr(param, true);
    for (const Expr* value : s.defaults) analysis.expr(value);
    const auto is_param = [&s](const std::string& name) {
      return std::any_of(s.params.begin(), s.params.end(),
                         [&name](const Expr* p) { return p->name == name; });
    };
    for (const std::string& special : undeclared(s.body, {"caller", "kwargs", "varargs"}, effort_)) {
      if (is_param(special)) {
        const std::size_t first_default = s.params.size() - s.defaults.size();
        if (special == "caller" &&
            std::none_of(s.params.begin() + static_cast<std::ptrdiff_t>(first_default), s.params.end(),
                         [](const Expr* p) { return p->name == "caller"; })) {
          fail(
              "When defining macros or call blocks the special \"caller\" argument must be omitted or be "
              "given a "
              "default.",
              s.line);
        }
        continue;
      }
      (special == "caller"   ? s.caller_slot
       : special == "kwargs" ? s.kwargs_slot
                             : s.varargs_slot) = symbols.declare(special);
    }
    analysis.body(s.body);
    s.scope = symbols.scope();
    exprs(s.params, symbols, false);
    exprs(s.defaults, symbols, false);
    body(s.body, symbols, false);
  }

  Tree& tree_;
  Effort effort_;
};

}  // namespace

void resolve_scopes(Tree& tree) { Resolver(tree).template_body(); }

std::string unknown_filter(const std::string& name, const char* found) {
  return fmt::format("No filter named {}{}. (known filters: {})", quote_python(name), found,
                     names_of(filter_tables()));
}

std::string unknown_test(const std::string& name, const char* found) {
  return fmt::format("No test named {}{}. (known tests: {})", quote_python(name), found,
                     names_of(test_tables()));
}

}  // namespace kelda::jinja
