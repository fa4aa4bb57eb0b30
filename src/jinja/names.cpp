#include "jinja/names.h"

#include <algorithm>
#include <functional>

namespace kelda::jinja {
namespace {

// Calls visit(name expression) for every name; an expression that is assigned has `store` set.
class Walk {
 public:
  Walk(Effort& effort, std::function<void(const Expr&)> visit) : effort_(effort), visit_(std::move(visit)) {}

  void expr(const Expr* e) const {
    if (!e) return;
    effort_.spend(1);
    if (e->kind == Expr::Kind::kName) return visit_(*e);
    for (const Expr* child : {e->a, e->b, e->c}) expr(child);
    for (const Expr* child : e->items) expr(child);
    for (const auto& [name, child] : e->keywords) expr(child);
    expr(e->star);
    expr(e->star_star);
  }
  void exprs(const std::vector<Expr*>& all) const {
    for (const Expr* e : all) expr(e);
  }
  void body(const Body& statements) const {
    for (const Stmt* s : statements) stmt(*s);
  }
  void stmt(const Stmt& s) const {
    effort_.spend(1);
    expr(s.target);
    exprs(s.targets);
    if (s.kind == Stmt::Kind::kFilterBlock) {
      body(s.body);
      return expr(s.filter);
    }
    exprs(s.exprs);
    expr(s.filter);
    exprs(s.params);
    exprs(s.defaults);
    for (const Branch& branch : s.branches) {
      expr(branch.condition);
      body(branch.body);
    }
    body(s.body);
    body(s.else_body);
    expr(s.test);
  }

 private:
  Effort& effort_;
  std::function<void(const Expr&)> visit_;
};

}  // namespace

std::vector<std::string> undeclared(const Body& body, std::vector<std::string> names, Effort& effort) {
  std::vector<std::string> found;
  const auto has = [](const std::vector<std::string>& all, const std::string& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  const Walk walk(effort, [&](const Expr& e) {
    if (!e.store && has(names, e.name)) {
      if (!has(found, e.name)) found.push_back(e.name);
    } else {
      names.erase(std::remove(names.begin(), names.end(), e.name), names.end());
    }
  });
  walk.body(body);
  return found;
}

int line_of_store(const Stmt& stmt, const std::string& name, Effort& effort) {
  int line = 0;
  const Walk walk(effort, [&](const Expr& e) {
    if (e.store && e.name == name && line == 0) line = e.line;
  });
  walk.stmt(stmt);
  return line;
}

}  // namespace kelda::jinja
