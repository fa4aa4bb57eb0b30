// What follows an operand: subscripts, calls, filters, tests; and the brackets that make lists and dicts.
#include <set>
#include <string>

#include "jinja/errors.h"
#include "jinja/parser.h"
#include "jinja/parser_nest.h"

namespace kelda::jinja {

Expr* Parser::parse_list() {
  Expr* e = make(Expr::Kind::kList, current().line);
  expect_operator("[");
  while (!current().is_operator("]")) {
    if (!e->items.empty()) {
      expect_operator(",");
      if (current().is_operator("]")) break;
    }
    e->items.push_back(parse_expression());
  }
  expect_operator("]");
  return seal(e);
}

Expr* Parser::parse_dict() {
  Expr* e = make(Expr::Kind::kDict, current().line);
  expect_operator("{");
  while (!current().is_operator("}")) {
    if (!e->items.empty()) {
      expect_operator(",");
      if (current().is_operator("}")) break;
    }
    e->items.push_back(parse_expression());
    expect_operator(":");
    e->items.push_back(parse_expression());
  }
  expect_operator("}");
  return seal(e);
}

Expr* Parser::parse_postfix(Expr* e) {
  for (;;) {
    if (current().is_operator(".") || current().is_operator("[")) {
      e = parse_subscript(e);
    } else if (current().is_operator("(")) {
      e = parse_call(e);
    } else {
      return e;
    }
  }
}

Expr* Parser::parse_filters_and_tests(Expr* e) {
  for (;;) {
    if (current().is_operator("|")) {
      e = parse_filter(e, false);
    } else if (current().is_name("is")) {
      e = parse_test(e);
    } else if (current().is_operator("(")) {
      e = parse_call(e);
    } else {
      return e;
    }
  }
}

Expr* Parser::parse_subscript(Expr* e) {
  const int line = current().line;
  if (skip_operator(".")) {
    const Token& name = next();
    if (name.is(Kind::kName)) {
      Expr* attr = make(Expr::Kind::kAttr, line);
      attr->a = e;
      attr->value = Value::string(name.text, Provenance::kOwned);
      return seal(attr);
    }
    if (!name.is(Kind::kNumber) || !name.number.is(Value::Kind::kInt))
      fail("expected name or number", name.line);
    Expr* index = make(Expr::Kind::kConst, name.line);
    index->value = name.number;
    Expr* item = make(Expr::Kind::kItem, line);
    item->a = e;
    item->b = index;
    return seal(item);
  }
  expect_operator("[");
  std::vector<Expr*> indices;
  while (!current().is_operator("]")) {
    if (!indices.empty()) expect_operator(",");
    indices.push_back(parse_index());
  }
  expect_operator("]");
  if (indices.size() == 1 && indices[0]->kind == Expr::Kind::kSlice) {
    indices[0]->a = e;
    return seal(indices[0]);
  }
  Expr* item = make(Expr::Kind::kItem, line);
  item->a = e;
  if (indices.size() == 1) {
    item->b = indices[0];
  } else {
    for (const Expr* index : indices) {
      if (index->kind == Expr::Kind::kSlice) fail("a slice must be the only index", line);
    }
    item->b = make(Expr::Kind::kTuple, line);
    item->b->items = std::move(indices);
    seal(item->b);
  }
  return seal(item);
}

Expr* Parser::parse_index() {
  const int line = current().line;
  Expr* first = nullptr;
  if (!current().is_operator(":")) {
    first = parse_expression();
    if (!current().is_operator(":")) return first;
  }
  expect_operator(":");
  Expr* slice = make(Expr::Kind::kSlice, line);
  slice->items = {first, nullptr, nullptr};
  const auto ends = [this] { return current().is_operator("]") || current().is_operator(","); };
  if (!current().is_operator(":") && !ends()) slice->items[1] = parse_expression();
  if (skip_operator(":") && !ends()) slice->items[2] = parse_expression();
  return slice;
}

void Parser::parse_arguments(Expr& e) {
  const int line = current().line;
  expect_operator("(");
  const auto ensure = [&](bool fine) {
    if (!fine) fail("invalid syntax for function call expression", line);
  };
  bool first = true;
  std::set<std::string> names;
  while (!current().is_operator(")")) {
    if (!first) {
      expect_operator(",");
      if (current().is_operator(")")) break;
    }
    first = false;
    if (skip_operator("*")) {
      ensure(!e.star && !e.star_star);
      e.star = parse_expression();
    } else if (skip_operator("**")) {
      ensure(!e.star_star);
      e.star_star = parse_expression();
    } else if (current().is(Kind::kName) && look().is_operator("=")) {
      ensure(!e.star_star);
      const std::string name = next().text;
      next();
      if (!names.insert(name).second) fail(fmt::format("keyword argument repeated: {}", name), line);
      e.keywords.emplace_back(Value::string(name, Provenance::kOwned), parse_expression());
    } else {
      ensure(!e.star && !e.star_star && e.keywords.empty());
      e.items.push_back(parse_expression());
    }
  }
  expect_operator(")");
}

Expr* Parser::parse_call(Expr* callee) {
  Expr* e = make(Expr::Kind::kCall, current().line);
  e->a = callee;
  parse_arguments(*e);
  return seal(e);
}

std::string Parser::parse_dotted_name() {
  std::string name = expect_any_name();
  while (skip_operator(".")) name.append(".").append(expect_any_name());
  return name;
}

Expr* Parser::parse_one_filter(Expr* operand) {
  Expr* e = make(Expr::Kind::kFilter, current().line);
  e->a = operand;
  e->name = parse_dotted_name();
  e->row = find_filter(e->name);
  if (current().is_operator("(")) parse_arguments(*e);
  return seal(e);
}

Expr* Parser::parse_filter(Expr* operand, bool inline_start) {
  if (inline_start) operand = parse_one_filter(operand);
  while (skip_operator("|")) operand = parse_one_filter(operand);
  return operand;
}

Expr* Parser::parse_test(Expr* operand) {
  const int line = next().line;
  const bool negated = skip_name("not");
  Expr* e = make(Expr::Kind::kTest, line);
  e->a = operand;
  e->name = parse_dotted_name();
  e->row = find_test(e->name);
  const Token& t = current();
  if (t.is_operator("(")) {
    parse_arguments(*e);
  } else if ((t.is(Kind::kName) || t.is(Kind::kString) || t.is(Kind::kNumber) || t.is_operator("[") ||
              t.is_operator("{")) &&
             !t.is_name("else") && !t.is_name("or") && !t.is_name("and")) {
    if (t.is_name("is")) fail("You cannot chain multiple tests with is");
    const Nest nest(*this);
    e->items.push_back(parse_postfix(parse_primary()));
  }
  seal(e);
  if (!negated) return e;
  Expr* negation = make(Expr::Kind::kNot, line);
  negation->a = e;
  return seal(negation);
}

}  // namespace kelda::jinja
