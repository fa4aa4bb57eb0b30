#include "apps/kelda/token_text.h"

#include <fmt/format.h>

#include "base/quote.h"

namespace kelda::cli {
namespace {

// Backgrounds that black letters are read on, next to each other unlike.
constexpr int kBackgrounds[] = {157, 153, 223, 225, 229};

}  // namespace

std::string shown_piece(const text::Tokenizer& tokenizer, TokenId id) {
  // A model may have more rows than its vocabulary has pieces: those stand for nothing.
  const std::string bytes = id < tokenizer.vocabulary().size() ? tokenizer.bytes(id, true) : std::string();
  std::string shown, run;
  const auto flush = [&] {
    const std::string quoted = quote(run, std::string::npos);
    shown.append(quoted, 1, quoted.size() - 2);
    run.clear();
  };
  for (const char c : bytes) {
    // The blanks that everybody knows by a letter; quote() escapes the rest by number.
    const char letter = c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : '\0';
    if (letter == '\0') {
      run += c;
      continue;
    }
    flush();
    shown += {'\\', letter};
  }
  flush();
  return shown;
}

std::string coloured_tokens(const text::Tokenizer& tokenizer, std::span<const TokenId> ids) {
  std::string text;
  std::size_t i = 0;
  for (const TokenId id : ids) {
    const std::string shown = shown_piece(tokenizer, id);
    const int background = kBackgrounds[i++ % std::size(kBackgrounds)];
    text += fmt::format("\x1b[30;48;5;{}m{}\x1b[0m", background, shown);
    if (shown.find("\\n") != std::string::npos) text += '\n';
  }
  return text;
}

}  // namespace kelda::cli
