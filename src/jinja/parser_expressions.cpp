// Expressions, lowest precedence first, as Jinja2's grammar orders them.
#include <algorithm>

#include "jinja/errors.h"
#include "jinja/limits.h"
#include "jinja/parser.h"
#include "jinja/parser_nest.h"
#include "jinja/repr.h"

namespace kelda::jinja {

Expr* Parser::parse_expression(bool with_condition) {
  const Nest nest(*this);
  return with_condition ? parse_condition() : parse_or();
}

Expr* Parser::parse_condition() {
  int line = current().line;
  Expr* e = parse_or();
  while (skip_name("if")) {
    Expr* cond = make(Expr::Kind::kCond, line);
    cond->b = e;
    cond->a = parse_or();
    if (skip_name("else")) cond->c = parse_expression();
    e = seal(cond);
    line = current().line;
  }
  return e;
}

Expr* Parser::parse_or() {
  int line = current().line;
  Expr* e = parse_and();
  while (skip_name("or")) {
    Expr* both = make(Expr::Kind::kOr, line);
    both->a = e;
    both->b = parse_and();
    e = seal(both);
    line = current().line;
  }
  return e;
}

Expr* Parser::parse_and() {
  int line = current().line;
  Expr* e = parse_not();
  while (skip_name("and")) {
    Expr* both = make(Expr::Kind::kAnd, line);
    both->a = e;
    both->b = parse_not();
    e = seal(both);
    line = current().line;
  }
  return e;
}

Expr* Parser::parse_not() {
  if (!current().is_name("not")) return parse_compare();
  const Nest nest(*this);
  Expr* e = make(Expr::Kind::kNot, next().line);
  e->a = parse_not();
  return seal(e);
}

Expr* Parser::parse_compare() {
  const int line = current().line;
  Expr* first = parse_sum();
  Expr* e = nullptr;
  const auto operand = [&](Op op) {
    if (!e) {
      e = make(Expr::Kind::kCompare, line);
      e->a = first;
    }
    e->ops.push_back(op);
    e->items.push_back(parse_sum());
  };
  static constexpr std::pair<std::string_view, Op> kOps[] = {
      {"==", Op::kEq}, {"!=", Op::kNe}, {"<", Op::kLt}, {"<=", Op::kLe}, {">", Op::kGt}, {">=", Op::kGe}};
  for (bool found = true; found;) {
    found = false;
    for (const auto& [symbol, op] : kOps) {
      if (skip_operator(symbol)) {
        operand(op);
        found = true;
        break;
      }
    }
    if (found) continue;
    if (skip_name("in")) {
      operand(Op::kIn);
      found = true;
    } else if (current().is_name("not") && look().is_name("in")) {
      next();
      next();
      operand(Op::kNotIn);
      found = true;
    }
  }
  return e ? seal(e) : first;
}

Expr* Parser::parse_sum() {
  int line = current().line;
  Expr* e = parse_concat();
  while (current().is_operator("+") || current().is_operator("-")) {
    Expr* sum = make(Expr::Kind::kBinary, line);
    sum->op = next().text == "+" ? Op::kAdd : Op::kSub;
    sum->a = e;
    sum->b = parse_concat();
    e = seal(sum);
    line = current().line;
  }
  return e;
}

Expr* Parser::parse_concat() {
  const int line = current().line;
  Expr* first = parse_product();
  if (!current().is_operator("~")) return first;
  Expr* e = make(Expr::Kind::kConcat, line);
  e->items.push_back(first);
  while (skip_operator("~")) e->items.push_back(parse_product());
  return seal(e);
}

Expr* Parser::parse_product() {
  static constexpr std::pair<std::string_view, Op> kOps[] = {
      {"*", Op::kMul}, {"/", Op::kDiv}, {"//", Op::kFloorDiv}, {"%", Op::kMod}};
  int line = current().line;
  Expr* e = parse_power();
  for (bool found = true; found;) {
    found = false;
    for (const auto& [symbol, op] : kOps) {
      if (!skip_operator(symbol)) continue;
      Expr* product = make(Expr::Kind::kBinary, line);
      product->op = op;
      product->a = e;
      product->b = parse_power();
      e = seal(product);
      line = current().line;
      found = true;
      break;
    }
  }
  return e;
}

Expr* Parser::parse_power() {
  int line = current().line;
  Expr* e = parse_unary();
  while (skip_operator("**")) {
    Expr* power = make(Expr::Kind::kBinary, line);
    power->op = Op::kPow;
    power->a = e;
    power->b = parse_unary();
    e = seal(power);
    line = current().line;
  }
  return e;
}

Expr* Parser::parse_unary(bool with_filter) {
  const Nest nest(*this);
  Expr* e = nullptr;
  if (current().is_operator("-") || current().is_operator("+")) {
    const Token& sign = next();
    e = make(Expr::Kind::kUnary, sign.line);
    e->op = sign.text == "-" ? Op::kNeg : Op::kPos;
    e->a = parse_unary(false);
    seal(e);
  } else {
    e = parse_primary();
  }
  e = parse_postfix(e);
  return with_filter ? parse_filters_and_tests(e) : e;
}

Expr* Parser::parse_primary(bool with_namespace) {
  const Token& token = current();
  const int line = token.line;
  if (token.is(Kind::kName)) {
    const std::string name = next().text;
    if (name == "true" || name == "True" || name == "false" || name == "False") {
      Expr* e = make(Expr::Kind::kConst, line);
      e->value = Value::boolean(name == "true" || name == "True");
      return e;
    }
    if (name == "none" || name == "None") {
      Expr* e = make(Expr::Kind::kConst, line);
      e->value = Value::none();
      return e;
    }
    if (with_namespace && skip_operator(".")) {
      Expr* e = make(Expr::Kind::kNsRef, line);
      e->name = name;
      e->value = Value::string(expect_any_name(), Provenance::kOwned);
      return e;
    }
    Expr* e = make(Expr::Kind::kName, line);
    e->name = name;
    return e;
  }
  if (token.is(Kind::kString)) {
    std::string all;
    while (current().is(Kind::kString)) all += next().text;
    Expr* e = make(Expr::Kind::kConst, line);
    e->value = Value::string(std::move(all), Provenance::kOwned);
    return e;
  }
  if (token.is(Kind::kNumber)) {
    Expr* e = make(Expr::Kind::kConst, line);
    e->value = next().number;
    return e;
  }
  if (skip_operator("(")) {
    const Nest nest(*this);
    Expr* e = parse_tuple(false, true, Until::kNothing, true, false);
    expect_operator(")");
    return e;
  }
  if (token.is_operator("[")) return parse_list();
  if (token.is_operator("{")) return parse_dict();
  fail(fmt::format("unexpected {}", quote_python(describe(token))));
}

Expr* Parser::parse_tuple(bool simple, bool with_condition, Until until, bool parentheses,
                          bool with_namespace) {
  int line = current().line;
  std::vector<Expr*> items;
  bool is_tuple = false;
  for (;;) {
    if (!items.empty()) expect_operator(",");
    const Token& t = current();
    if (t.is(Kind::kVariableEnd) || t.is(Kind::kBlockEnd) || t.is_operator(")") ||
        (until == Until::kIn && t.is_name("in")) || (until == Until::kRecursive && t.is_name("recursive"))) {
      break;
    }
    items.push_back(simple ? parse_primary(with_namespace) : parse_expression(with_condition));
    if (!current().is_operator(",")) break;
    is_tuple = true;
    line = current().line;
  }
  if (!is_tuple) {
    if (!items.empty()) return items[0];
    if (!parentheses) fail(fmt::format("Expected an expression, got {}", quote_python(describe(current()))));
  }
  Expr* e = make(Expr::Kind::kTuple, line);
  e->items = std::move(items);
  return seal(e);
}

void Parser::check_target(Expr* target) const {
  static constexpr std::string_view kClass[] = {
      "const", "name",   "nsref",   "tuple",    "list",    "dict",    "neg",   "binexpr", "and",    "or",
      "not",   "concat", "compare", "condexpr", "getattr", "getitem", "slice", "call",    "filter", "test"};
  if (target->kind == Expr::Kind::kTuple) {
    for (Expr* item : target->items) check_target(item);
    return;
  }
  static constexpr std::string_view kReserved[] = {"true", "false", "none", "True", "False", "None"};
  const bool reserved =
      target->kind == Expr::Kind::kName &&
      std::find(std::begin(kReserved), std::end(kReserved), target->name) != std::end(kReserved);
  if (reserved || (target->kind != Expr::Kind::kName && target->kind != Expr::Kind::kNsRef)) {
    fail(fmt::format("can't assign to '{}'", kClass[static_cast<std::size_t>(target->kind)]), target->line);
  }
  target->store = true;
}

Expr* Parser::parse_target(Until until, bool with_namespace) {
  Expr* target = parse_tuple(true, true, until, false, with_namespace);
  check_target(target);
  return target;
}

Expr* Parser::parse_name_target() {
  Expr* target = make(Expr::Kind::kName, current().line);
  target->name = expect_any_name();
  check_target(target);
  return target;
}

}  // namespace kelda::jinja
