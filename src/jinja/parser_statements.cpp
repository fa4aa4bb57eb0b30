// Statements: one function per tag.
#include <set>
#include <string>

#include "jinja/errors.h"
#include "jinja/parser.h"
#include "jinja/parser_nest.h"
#include "jinja/repr.h"

namespace kelda::jinja {

Body Parser::parse_template() { return parse_body({}); }

Stmt* Parser::make_stmt(Stmt::Kind kind, int line) {
  Stmt s{};
  s.kind = kind;
  s.line = line;
  tree_.stmts.push_back(std::move(s));
  return &tree_.stmts.back();
}

// Statements up to one of the end tags, which is left as the current token (its name); with no end tags, up
// to the end of the template.
Body Parser::parse_body(const std::vector<std::string_view>& end_names) {
  const Nest nest(*this);
  const bool top = end_names.empty();
  if (!top) {
    skip_operator(":");
    expect_block_end();
    end_names_.push_back(end_names);
  }
  Body body;
  for (;;) {
    const Token& token = current();
    if (token.is(Kind::kEnd)) {
      if (top) return body;
      fail_unclosed(nullptr);
    }
    if (token.is(Kind::kData) || token.is(Kind::kVariableBegin)) {
      if (body.empty() || body.back()->kind != Stmt::Kind::kOutput) {
        body.push_back(make_stmt(Stmt::Kind::kOutput, token.line));
      }
      next();
      if (token.is(Kind::kData)) {
        Expr* text = make(Expr::Kind::kConst, token.line);
        text->value = Value::string(token.text, Provenance::kOwned);
        body.back()->exprs.push_back(text);
        continue;
      }
      body.back()->exprs.push_back(parse_full_tuple(true));
      if (!current().is(Kind::kVariableEnd)) fail_expected("end of print statement");
      next();
      continue;
    }
    next();  // block begin
    for (const auto name : end_names) {
      if (!current().is_name(name)) continue;
      end_names_.pop_back();
      return body;
    }
    parse_statement(body);
    expect_block_end();
  }
}

void Parser::parse_statement(Body& out) {
  struct Tag {
    std::string_view name;
    Stmt* (Parser::*parse)();
  };
  static constexpr Tag kTags[] = {{"for", &Parser::parse_for},
                                  {"if", &Parser::parse_if},
                                  {"set", &Parser::parse_set},
                                  {"macro", &Parser::parse_macro},
                                  {"call", &Parser::parse_call_block},
                                  {"generation", &Parser::parse_generation},
                                  {"filter", &Parser::parse_filter_block},
                                  {"with", &Parser::parse_with},
                                  {"print", &Parser::parse_print},
                                  {"break", &Parser::parse_jump},
                                  {"continue", &Parser::parse_jump}};
  const Token& token = current();
  if (!token.is(Kind::kName)) fail("tag name expected");
  for (const Tag& tag : kTags) {
    if (tag.name != token.text) continue;
    open_tags_.push_back(token.text);
    out.push_back((this->*tag.parse)());
    open_tags_.pop_back();
    return;
  }
  for (const std::string_view other : {"block", "extends", "include", "import", "from", "autoescape"}) {
    if (token.text == other) {
      std::string known;
      for (const Tag& tag : kTags) known += (known.empty() ? "" : ", ") + std::string(tag.name);
      fail(fmt::format("the tag '{}' is not available: a chat template is one text (known tags: {}, raw)",
                       other, known));
    }
  }
  fail_unclosed(&token);
}

Stmt* Parser::parse_for() {
  Stmt* s = make_stmt(Stmt::Kind::kFor, next().line);
  s->target = parse_target(Until::kIn, false);
  expect_name("in");
  s->exprs.push_back(parse_tuple(false, false, Until::kRecursive, false, false));
  if (skip_name("if")) s->test = parse_expression();
  s->recursive = skip_name("recursive");
  ++loops_;
  s->body = parse_body({"endfor", "else"});
  --loops_;
  if (next().text == "else") {
    s->else_body = parse_body({"endfor"});
    next();
  }
  return s;
}

Stmt* Parser::parse_if() {
  Stmt* s = make_stmt(Stmt::Kind::kIf, next().line);
  for (;;) {
    Expr* condition = parse_full_tuple(false);
    s->branches.push_back({condition, parse_body({"elif", "else", "endif"})});
    const std::string end = next().text;
    if (end == "elif") continue;
    if (end == "else") {
      s->branches.push_back({nullptr, parse_body({"endif"})});
      next();
    }
    return s;
  }
}

Stmt* Parser::parse_set() {
  const int line = next().line;
  Expr* target = parse_target(Until::kNothing, true);
  if (skip_operator("=")) {
    Stmt* s = make_stmt(Stmt::Kind::kSet, line);
    s->target = target;
    s->exprs.push_back(parse_full_tuple(true));
    return s;
  }
  Stmt* s = make_stmt(Stmt::Kind::kSetBlock, line);
  s->target = target;
  s->filter = parse_filter(nullptr, false);
  s->body = parse_body({"endset"});
  next();
  return s;
}

void Parser::parse_signature(Stmt& s) {
  expect_operator("(");
  std::set<std::string> names;
  while (!current().is_operator(")")) {
    if (!s.params.empty()) expect_operator(",");
    Expr* param = parse_name_target();
    if (!names.insert(param->name).second) {
      fail(fmt::format("duplicate argument {} in a signature", quote_python(param->name)));
    }
    if (skip_operator("=")) {
      s.defaults.push_back(parse_expression());
    } else if (!s.defaults.empty()) {
      fail("non-default argument follows default argument");
    }
    s.params.push_back(param);
  }
  expect_operator(")");
}

Stmt* Parser::parse_macro() {
  Stmt* s = make_stmt(Stmt::Kind::kMacro, next().line);
  s->name = parse_name_target()->name;
  parse_signature(*s);
  const int loops = std::exchange(loops_, 0);
  s->body = parse_body({"endmacro"});
  loops_ = loops;
  next();
  return s;
}

Stmt* Parser::parse_call_block() {
  Stmt* s = make_stmt(Stmt::Kind::kCallBlock, next().line);
  if (current().is_operator("(")) parse_signature(*s);
  Expr* call = parse_expression();
  if (call->kind != Expr::Kind::kCall) fail("expected call", s->line);
  s->exprs.push_back(call);
  const int loops = std::exchange(loops_, 0);
  s->body = parse_body({"endcall"});
  loops_ = loops;
  next();
  return s;
}

// transformers' {% generation %}: marks what the model wrote, for training; its body is printed.
Stmt* Parser::parse_generation() {
  Stmt* s = make_stmt(Stmt::Kind::kGeneration, next().line);
  const int loops = std::exchange(loops_, 0);
  s->body = parse_body({"endgeneration"});
  loops_ = loops;
  next();
  return s;
}

Stmt* Parser::parse_filter_block() {
  Stmt* s = make_stmt(Stmt::Kind::kFilterBlock, next().line);
  s->filter = parse_filter(nullptr, true);
  s->body = parse_body({"endfilter"});
  next();
  return s;
}

Stmt* Parser::parse_with() {
  Stmt* s = make_stmt(Stmt::Kind::kWith, next().line);
  while (!current().is(Kind::kBlockEnd)) {
    if (!s->targets.empty()) expect_operator(",");
    s->targets.push_back(parse_target(Until::kNothing, false));
    expect_operator("=");
    s->exprs.push_back(parse_expression());
  }
  s->body = parse_body({"endwith"});
  next();
  return s;
}

Stmt* Parser::parse_print() {
  Stmt* s = make_stmt(Stmt::Kind::kOutput, next().line);
  while (!current().is(Kind::kBlockEnd)) {
    if (!s->exprs.empty()) expect_operator(",");
    s->exprs.push_back(parse_expression());
  }
  return s;
}

Stmt* Parser::parse_jump() {
  const Token& token = next();
  if (loops_ == 0) fail(fmt::format("'{}' outside loop", token.text), token.line);
  return make_stmt(token.text == "break" ? Stmt::Kind::kBreak : Stmt::Kind::kContinue, token.line);
}

}  // namespace kelda::jinja
