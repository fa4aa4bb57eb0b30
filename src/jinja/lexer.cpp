// Follows the rules of Jinja2's lexer: text up to the next "{%", "{{" or "{#"; a "-" inside a delimiter
// strips white space on that side; lstrip_blocks removes blanks between the line's begin and a block or
// comment; trim_blocks removes the newline after one; "+" in its place keeps either.
#include <charconv>
#include <optional>

#include "jinja/errors.h"
#include "jinja/limits.h"
#include "jinja/string_escapes.h"
#include "jinja/token.h"
#include "jinja/unicode.h"

namespace kelda::jinja {
namespace {

using Kind = Token::Kind;

std::string normalized(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      out += source[i];
    }
  }
  if (out.ends_with('\n')) out.pop_back();  // Jinja2 drops one newline at the end
  return out;
}

class Lexer {
 public:
  explicit Lexer(std::string source) : source_(std::move(source)), all_(source_) {}
  std::vector<Token> run();

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Failure(Raised::kSyntax, what, line_); }
  bool at(std::string_view text) const { return all_.substr(at_).starts_with(text); }
  std::size_t skip_space(std::size_t from) const;
  void advance(std::size_t to);
  void add(Kind kind, std::string text, Value number = {}) {
    if (tokens_.size() >= kMaxTokens) fail(fmt::format("the template has more than {} words", kMaxTokens));
    tokens_.push_back({kind, line_, std::move(text), std::move(number)});
  }
  void data(std::size_t end, char sign, bool strip_blanks);
  void skip_comment();
  bool try_raw();
  void code(bool block);
  bool try_close(bool block);
  void word();
  bool try_number();
  void quoted();
  void symbol();
  std::optional<std::size_t> match_tag(std::size_t from, std::string_view word, char& sign, std::size_t& end,
                                       bool closing) const;

  std::string source_;
  std::string_view all_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_starting_ = true;
  std::string brackets_;
  std::vector<Token> tokens_;
};

std::size_t Lexer::skip_space(std::size_t from) const {
  while (from < all_.size()) {
    const Utf8Sequence c = next_utf8(all_.substr(from));
    if (!is(CharClass::kSpace, c.code_point)) break;
    from += c.length;
  }
  return from;
}

void Lexer::advance(std::size_t to) {
  for (; at_ < to; ++at_) line_ += all_[at_] == '\n';
  line_starting_ = to > 0 && all_[to - 1] == '\n';
}

// Emits the text before a delimiter that begins at `end`.
void Lexer::data(std::size_t end, char sign, bool strip_blanks) {
  std::string_view text = all_.substr(at_, end - at_);
  if (sign == '-') {
    while (!text.empty()) {
      const std::size_t last = previous_char(text, text.size());
      if (!is(CharClass::kSpace, next_utf8(text.substr(last)).code_point)) break;
      text = text.substr(0, last);
    }
  } else if (sign != '+' && strip_blanks) {
    const std::size_t newline = text.rfind('\n');
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    if ((begin > 0 || line_starting_) && skip_space(at_ + begin) >= end) text = text.substr(0, begin);
  }
  if (!text.empty()) add(Kind::kData, std::string(text));
  advance(end);
}

std::vector<Token> Lexer::run() {
  while (at_ < all_.size()) {
    std::size_t open = at_;
    for (;; ++open) {
      open = all_.find('{', open);
      if (open == std::string_view::npos || open + 1 >= all_.size()) {
        open = std::string_view::npos;
        break;
      }
      const char next = all_[open + 1];
      if (next == '%' || next == '{' || next == '#') break;
    }
    if (open == std::string_view::npos) {
      add(Kind::kData, std::string(all_.substr(at_)));
      advance(all_.size());
      break;
    }
    const char type = all_[open + 1];
    char sign = open + 2 < all_.size() ? all_[open + 2] : ' ';
    if (sign != '-' && sign != '+') sign = ' ';
    data(open, sign, type != '{');
    if (type == '#') {
      skip_comment();
    } else if (type == '{' || !try_raw()) {
      add(type == '%' ? Kind::kBlockBegin : Kind::kVariableBegin, "");
      at_ += sign == ' ' ? 2 : 3;
      line_starting_ = false;
      code(type == '%');
    }
  }
  add(Kind::kEnd, "");
  return std::move(tokens_);
}

void Lexer::skip_comment() {
  const bool signed_begin = at_ + 2 < all_.size() && (all_[at_ + 2] == '-' || all_[at_ + 2] == '+');
  const std::size_t begin = at_ + (signed_begin ? 3 : 2);
  const std::size_t close = all_.find("#}", begin);
  if (close == std::string_view::npos) fail("Missing end of comment tag");
  const char sign = close > begin ? all_[close - 1] : ' ';
  std::size_t end = close + 2;
  if (sign == '-') {
    end = skip_space(end);
  } else if (sign != '+' && end < all_.size() && all_[end] == '\n') {
    ++end;
  }
  advance(end);
}

// A tag of one word ("raw", "endraw") that begins at `from`; its end after white space control.
std::optional<std::size_t> Lexer::match_tag(std::size_t from, std::string_view word, char& sign,
                                            std::size_t& end, bool closing) const {
  std::size_t p = from + 2;
  sign = p < all_.size() && (all_[p] == '-' || all_[p] == '+') ? all_[p++] : ' ';
  p = skip_space(p);
  if (!all_.substr(p).starts_with(word)) return std::nullopt;
  p = skip_space(p + word.size());
  if (all_.substr(p).starts_with("-%}")) {
    end = skip_space(p + 3);
  } else if (closing && all_.substr(p).starts_with("+%}")) {
    end = p + 3;
  } else if (all_.substr(p).starts_with("%}")) {
    end = p + 2;
    if (closing && end < all_.size() && all_[end] == '\n') ++end;
  } else {
    return std::nullopt;
  }
  return end;
}

bool Lexer::try_raw() {
  char sign = ' ';
  std::size_t end = 0;
  if (!match_tag(at_, "raw", sign, end, false)) return false;
  advance(end);
  for (std::size_t close = at_;; ++close) {
    close = all_.find("{%", close);
    if (close == std::string_view::npos) fail("Missing end of raw directive");
    if (!match_tag(close, "endraw", sign, end, true)) continue;
    data(close, sign, true);
    advance(end);
    return true;
  }
}

bool Lexer::try_close(bool block) {
  if (!brackets_.empty()) return false;
  const std::string_view close = block ? "%}" : "}}";
  std::size_t end = 0;
  const bool minus = at(block ? "-%}" : "-}}");
  if (minus) {
    end = skip_space(at_ + 3);
  } else if (block && at("+%}")) {
    end = at_ + 3;
  } else if (at(close)) {
    end = at_ + 2;
    if (block && end < all_.size() && all_[end] == '\n') ++end;
  } else {
    return false;
  }
  add(block ? Kind::kBlockEnd : Kind::kVariableEnd, "");
  advance(end);
  return true;
}

void Lexer::code(bool block) {
  while (at_ < all_.size()) {
    if (try_close(block)) return;
    const Utf8Sequence c = next_utf8(all_.substr(at_));
    if (is(CharClass::kSpace, c.code_point)) {
      advance(at_ + c.length);
    } else if (c.code_point == '\'' || c.code_point == '"') {
      quoted();
    } else if (is_identifier_start(c.code_point)) {
      word();
    } else if (!try_number()) {
      symbol();
    }
  }
}

void Lexer::word() {
  std::size_t end = at_;
  while (end < all_.size()) {
    const Utf8Sequence c = next_utf8(all_.substr(end));
    if (!is_identifier_part(c.code_point)) break;
    end += c.length;
  }
  if (end - at_ > kMaxNameBytes) {
    fail(fmt::format("a name of {} bytes; it may have {}", end - at_, kMaxNameBytes));
  }
  add(Kind::kName, std::string(all_.substr(at_, end - at_)));
  at_ = end;
}

void Lexer::quoted() {
  const char quote = all_[at_];
  std::size_t end = at_ + 1;
  while (end < all_.size() && all_[end] != quote) end += all_[end] == '\\' ? 2 : 1;
  if (end >= all_.size()) fail(fmt::format("unexpected char {} at {}", quote == '"' ? "'\"'" : "\"'\"", at_));
  std::string content;
  if (const auto problem = unescape(all_.substr(at_ + 1, end - at_ - 1), content)) fail(*problem);
  add(Kind::kString, std::move(content));
  advance(end + 1);
}

namespace number {

// Length of digits of `base` with single underscores between them, from `at`.
std::size_t digits(std::string_view all, std::size_t at, int base, bool leading_underscore) {
  const auto is_digit = [base](char c) {
    const int d = c >= '0' && c <= '9'                 ? c - '0'
                  : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                       : 99;
    return d < base;
  };
  std::size_t end = at;
  while (end < all.size()) {
    const bool underscore = all[end] == '_' && (end > at || leading_underscore);
    const std::size_t digit = end + (underscore ? 1 : 0);
    if (digit >= all.size() || !is_digit(all[digit])) break;
    end = digit + 1;
  }
  return end - at;
}

// Length of a float at `at`, or 0.
std::size_t real(std::string_view all, std::size_t at) {
  std::size_t end = at + digits(all, at, 10, false);
  if (end == at) return 0;
  bool is_real = false;
  if (end < all.size() && all[end] == '.') {
    const std::size_t n = digits(all, end + 1, 10, false);
    if (n > 0) {
      end += 1 + n;
      is_real = true;
    }
  }
  if (end < all.size() && (all[end] | 32) == 'e') {
    const std::size_t sign = end + 1 < all.size() && (all[end + 1] == '+' || all[end + 1] == '-') ? 1 : 0;
    const std::size_t n = digits(all, end + 1 + sign, 10, false);
    if (n > 0) {
      end += 1 + sign + n;
      is_real = true;
    }
  }
  return is_real ? end - at : 0;
}

}  // namespace number

bool Lexer::try_number() {
  if (all_[at_] < '0' || all_[at_] > '9') return false;
  const bool after_dot = at_ > 0 && all_[at_ - 1] == '.';
  const std::size_t real = after_dot ? 0 : number::real(all_, at_);
  std::size_t length = real, prefix = 0;
  int base = 10;
  if (real == 0) {
    const char kind = at_ + 1 < all_.size() && all_[at_] == '0' ? static_cast<char>(all_[at_ + 1] | 32) : ' ';
    const int prefixed = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 0;
    if (prefixed != 0 && number::digits(all_, at_ + 2, prefixed, true) > 0) {
      base = prefixed;
      prefix = 2;
    }
    length = prefix + number::digits(all_, at_ + prefix, base, prefix > 0);
    if (base == 10 && all_[at_] == '0') length = number::digits(all_, at_, 1, false);  // zeros only
  }
  std::string text;
  for (const char c : all_.substr(at_ + prefix, length - prefix)) {
    if (c != '_') text += c;
  }
  if (real != 0) {
    add(Kind::kNumber, text, Value::real(parse_double(text)));
  } else {
    int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (result.ec != std::errc()) fail(fmt::format("the integer {} does not fit in 64 bits", text));
    add(Kind::kNumber, text, Value::integer(value));
  }
  at_ += length;
  return true;
}

void Lexer::symbol() {
  constexpr std::string_view kOperators[] = {"//", "**", "==", "!=", ">=", "<=", "+", "-", "/",
                                             "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                             ">",  "<",  "=",  ".",  ":",  "|",  ",", ";"};
  for (const std::string_view op : kOperators) {
    if (!at(op)) continue;
    if (op == "{") brackets_ += '}';
    if (op == "(") brackets_ += ')';
    if (op == "[") brackets_ += ']';
    if (op == "}" || op == ")" || op == "]") {
      if (brackets_.empty()) fail(fmt::format("unexpected '{}'", op));
      const char expected = brackets_.back();
      brackets_.pop_back();
      if (expected != op[0]) fail(fmt::format("unexpected '{}', expected '{}'", op, expected));
    }
    add(Kind::kOperator, std::string(op));
    at_ += op.size();
    return;
  }
  const std::size_t n = next_utf8(all_.substr(at_)).length;
  fail(fmt::format("unexpected char '{}' at {}", all_.substr(at_, n), count_chars(all_.substr(0, at_))));
}

}  // namespace

std::vector<Token> tokenize(std::string_view source) { return Lexer(normalized(source)).run(); }

}  // namespace kelda::jinja
