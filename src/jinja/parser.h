// Tokens to a tree, by Jinja2's grammar.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "jinja/ast.h"
#include "jinja/token.h"

namespace kelda::jinja {

// Throws Failure (kSyntax) with the line. Names are not resolved yet.
std::unique_ptr<Tree> parse(std::string_view source);

class Parser {
 public:
  Parser(std::vector<Token> tokens, Tree& tree) : tokens_(std::move(tokens)), tree_(tree) {}
  Body parse_template();

 private:
  using Kind = Token::Kind;

  // parser_tokens.cpp
  const Token& current() const { return tokens_[at_]; }
  const Token& look() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  const Token& next();
  bool skip_operator(std::string_view op);
  bool skip_name(std::string_view name);
  void expect_operator(std::string_view op);
  void expect_name(std::string_view name);
  std::string expect_any_name();
  void expect_block_end();
  static std::string describe(const Token& token);
  [[noreturn]] void fail(const std::string& what, int line = 0) const;
  [[noreturn]] void fail_expected(std::string_view expected) const;
  [[noreturn]] void fail_unclosed(const Token* unknown) const;
  Expr* make(Expr::Kind kind, int line);
  Expr* seal(Expr* e) const;

  // parser_statements.cpp
  struct Nest;
  Body parse_body(const std::vector<std::string_view>& end_names);
  void parse_statement(Body& out);
  Stmt* make_stmt(Stmt::Kind kind, int line);
  Stmt* parse_for();
  Stmt* parse_if();
  Stmt* parse_set();
  Stmt* parse_macro();
  Stmt* parse_call_block();
  Stmt* parse_generation();
  Stmt* parse_filter_block();
  Stmt* parse_with();
  Stmt* parse_print();
  Stmt* parse_jump();
  void parse_signature(Stmt& s);

  // parser_expressions.cpp
  enum class Until { kNothing, kIn, kRecursive };
  Expr* parse_expression(bool with_condition = true);
  Expr* parse_condition();
  Expr* parse_or();
  Expr* parse_and();
  Expr* parse_not();
  Expr* parse_compare();
  Expr* parse_sum();
  Expr* parse_concat();
  Expr* parse_product();
  Expr* parse_power();
  Expr* parse_unary(bool with_filter = true);
  Expr* parse_primary(bool with_namespace = false);
  Expr* parse_tuple(bool simple, bool with_condition, Until until, bool parentheses, bool with_namespace);
  Expr* parse_full_tuple(bool with_condition) {
    return parse_tuple(false, with_condition, Until::kNothing, false, false);
  }
  Expr* parse_target(Until until, bool with_namespace);
  Expr* parse_name_target();
  void check_target(Expr* target) const;

  // parser_postfix.cpp
  Expr* parse_list();
  Expr* parse_dict();
  Expr* parse_postfix(Expr* e);
  Expr* parse_filters_and_tests(Expr* e);
  Expr* parse_subscript(Expr* e);
  Expr* parse_index();
  Expr* parse_call(Expr* e);
  Expr* parse_filter(Expr* e, bool inline_start);
  Expr* parse_one_filter(Expr* e);
  Expr* parse_test(Expr* e);
  void parse_arguments(Expr& e);
  std::string parse_dotted_name();

  std::vector<Token> tokens_;
  Tree& tree_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  int loops_ = 0;
  std::vector<std::string> open_tags_;
  std::vector<std::vector<std::string_view>> end_names_;
};

}  // namespace kelda::jinja
