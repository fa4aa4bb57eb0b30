// The parser's hands: taking tokens, making nodes, complaining.
#include <algorithm>

#include "jinja/errors.h"
#include "jinja/limits.h"
#include "jinja/parser.h"
#include "jinja/repr.h"
#include "jinja/scopes.h"

namespace kelda::jinja {

std::unique_ptr<Tree> parse(std::string_view source) {
  auto tree = std::make_unique<Tree>();
  tree->body = Parser(tokenize(source), *tree).parse_template();
  return tree;
}

const Token& Parser::next() {
  const Token& token = tokens_[at_];
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Parser::skip_operator(std::string_view op) {
  if (!current().is_operator(op)) return false;
  next();
  return true;
}

bool Parser::skip_name(std::string_view name) {
  if (!current().is_name(name)) return false;
  next();
  return true;
}

std::string Parser::describe(const Token& token) {
  switch (token.kind) {
    case Kind::kName:
    case Kind::kOperator:
      return token.text;
    case Kind::kString:
      return "string";
    case Kind::kNumber:
      return token.number.is(Value::Kind::kFloat) ? "float" : "integer";
    case Kind::kBlockBegin:
      return "begin of statement block";
    case Kind::kBlockEnd:
      return "end of statement block";
    case Kind::kVariableBegin:
      return "begin of print statement";
    case Kind::kVariableEnd:
      return "end of print statement";
    case Kind::kData:
      return "template data / text";
    case Kind::kEnd:
      return "end of template";
  }
  return "";
}

void Parser::fail(const std::string& what, int line) const {
  throw Failure(Raised::kSyntax, what, line ? line : current().line);
}

void Parser::fail_expected(std::string_view expected) const {
  const std::string quoted = quote_python(expected);
  if (current().is(Kind::kEnd)) fail(fmt::format("unexpected end of template, expected {}.", quoted));
  fail(fmt::format("expected token {}, got {}", quoted, quote_python(describe(current()))));
}

void Parser::expect_operator(std::string_view op) {
  if (!skip_operator(op)) fail_expected(op);
}

void Parser::expect_name(std::string_view name) {
  if (!skip_name(name)) fail_expected(name);
}

std::string Parser::expect_any_name() {
  if (!current().is(Kind::kName)) fail_expected("name");
  return next().text;
}

void Parser::expect_block_end() {
  if (!current().is(Kind::kBlockEnd)) fail_expected("end of statement block");
  next();
}

void Parser::fail_unclosed(const Token* unknown) const {
  std::string message = unknown ? fmt::format("Encountered unknown tag {}.", quote_python(unknown->text))
                                : "Unexpected end of template.";
  if (!end_names_.empty()) {
    std::string looking;
    for (const auto name : end_names_.back()) {
      looking += (looking.empty() ? "" : " or ") + quote_python(name);
    }
    const bool expected =
        unknown && std::any_of(end_names_.begin(), end_names_.end(), [unknown](const auto& names) {
          return std::find(names.begin(), names.end(), unknown->text) != names.end();
        });
    message += expected ? fmt::format(
                              " You probably made a nesting mistake. Jinja is expecting this tag, but "
                              "currently looking for {}.",
                              looking)
                        : fmt::format(" Jinja was looking for the following tags: {}.", looking);
  }
  if (!open_tags_.empty()) {
    message +=
        fmt::format(" The innermost block that needs to be closed is {}.", quote_python(open_tags_.back()));
  }
  fail(message, unknown ? unknown->line : 0);
}

Expr* Parser::make(Expr::Kind kind, int line) {
  Expr& e = tree_.exprs.emplace_back();
  e.kind = kind;
  e.line = line;
  return &e;
}

// Finishes a node: refuses what is nested too deeply to be evaluated by recursion.
Expr* Parser::seal(Expr* e) const {
  for (const Expr* child : {e->a, e->b, e->c, e->star, e->star_star}) {
    if (child) e->depth = std::max(e->depth, child->depth + 1);
  }
  for (const Expr* child : e->items) {
    if (child) e->depth = std::max(e->depth, child->depth + 1);
  }
  for (const auto& [name, child] : e->keywords) e->depth = std::max(e->depth, child->depth + 1);
  if (e->depth > kMaxNesting) {
    fail(fmt::format("an expression is nested deeper than {}", kMaxNesting), e->line);
  }
  return e;
}

}  // namespace kelda::jinja
