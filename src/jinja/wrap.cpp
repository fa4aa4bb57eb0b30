#include "jinja/wrap.h"

#include <algorithm>

#include "jinja/errors.h"
#include "jinja/runtime.h"
#include "jinja/unicode.h"

namespace kelda::jinja {
namespace {

struct Piece {
  std::size_t begin, end;  // bytes
  int64_t n_chars;
};

bool blank(char c) { return c == ' ' || (c >= 9 && c <= 13); }

// Splits into words and runs of white space; a word is also split after a hyphen between letters.
std::vector<Piece> pieces(std::string_view all, bool hyphens) {
  std::vector<Piece> out;
  const auto letter_at = [&](std::size_t at) {
    if (at >= all.size()) return false;
    const uint32_t c = next_utf8(all.substr(at)).code_point;
    return is_word(c) && !is(CharClass::kDecimal, c);
  };
  for (std::size_t at = 0; at < all.size();) {
    const bool space = blank(all[at]);
    std::size_t end = at;
    while (end < all.size() && blank(all[end]) == space) {
      const bool cut = hyphens && !space && all[end] == '-' && end >= at + 2 && letter_at(end + 1) &&
                       letter_at(previous_char(all, end)) &&
                       letter_at(previous_char(all, previous_char(all, end))) &&
                       letter_at(end + 1 + next_utf8(all.substr(end + 1)).length);
      end += 1;
      if (cut) break;
    }
    out.push_back({at, end, static_cast<int64_t>(count_chars(all.substr(at, end - at)))});
    at = end;
  }
  return out;
}

}  // namespace

std::vector<Text> wrap(Runtime& rt, const Text& paragraph, const WrapOptions& options) {
  if (options.width <= 0) raise(Raised::kValue, "invalid width {} (must be > 0)", options.width);
  const std::string_view all = paragraph.bytes();
  rt.budget().walk(8 * all.size());
  rt.budget().want(all.size() * sizeof(Piece));
  std::vector<Piece> rest = pieces(all, options.break_on_hyphens);
  std::reverse(rest.begin(), rest.end());
  std::vector<Text> lines;
  while (!rest.empty()) {
    std::vector<Piece> line;
    int64_t n = 0;
    if (!lines.empty() && blank(all[rest.back().begin])) rest.pop_back();
    while (!rest.empty() && n + rest.back().n_chars <= options.width) {
      n += rest.back().n_chars;
      line.push_back(rest.back());
      rest.pop_back();
    }
    if (!rest.empty() && rest.back().n_chars > options.width) {
      Piece& word = rest.back();
      const auto room = static_cast<std::size_t>(options.width - n);
      if (options.break_long_words) {
        std::size_t cut = word.begin + char_offset(all.substr(word.begin, word.end - word.begin), room);
        if (options.break_on_hyphens && word.n_chars > static_cast<int64_t>(room)) {
          const std::size_t hyphen = all.substr(word.begin, cut - word.begin).rfind('-');
          const bool inside = hyphen != std::string_view::npos && hyphen > 0 &&
                              all.substr(word.begin, hyphen).find_first_not_of('-') != std::string_view::npos;
          if (inside) cut = word.begin + hyphen + 1;
        }
        const auto n_cut = static_cast<int64_t>(count_chars(all.substr(word.begin, cut - word.begin)));
        line.push_back({word.begin, cut, n_cut});
        word.begin = cut;
        word.n_chars -= n_cut;
      } else if (line.empty()) {
        line.push_back(word);
        rest.pop_back();
      }
    }
    if (!line.empty() && blank(all[line.back().begin])) line.pop_back();
    if (line.empty()) continue;
    rt.budget().step();
    rt.budget().want(2 * lines.size() * sizeof(Text) + all.size());
    lines.push_back(paragraph.slice(line.front().begin, line.back().end));
  }
  return lines;
}

}  // namespace kelda::jinja
