#include "context/cut.h"

#include <algorithm>

namespace kelda::context {
namespace {

constexpr std::size_t kFirstGuess =
    256;  // bytes; doubled from there, so that little more than fits is looked at

// What is left of a cut at the boundary of that kind next to n bytes from the end that is kept.
Cut part(std::string_view text, Keep keep, std::size_t n, Boundary kind) {
  if (keep == Keep::kEnd) return {gap_from(text, text.size() - n, kind).begin, text.size(), kind};
  return {0, gap_until(text, n, kind).end, kind};
}

std::string_view of(std::string_view text, const Cut& c) { return text.substr(c.begin, c.end - c.begin); }

}  // namespace

std::optional<Cut> cut(std::string_view text, Keep keep, const std::function<bool(std::string_view)>& fits) {
  const auto fits_at_characters = [&](std::size_t n) {
    const Cut c = part(text, keep, n, Boundary::kCharacter);
    return c.end > c.begin && fits(of(text, c));
  };
  std::size_t most = 0, too_much = std::min(kFirstGuess, text.size());
  while (too_much < text.size() && fits_at_characters(too_much)) {
    most = too_much;
    too_much = too_much > text.size() / 2 ? text.size() : too_much * 2;
  }
  if (too_much == text.size() && !text.empty() && fits(text))
    return Cut{0, text.size(), Boundary::kParagraph};
  while (too_much - most > 1) {
    const std::size_t middle = most + (too_much - most) / 2;
    // Inside a character, nothing of it is kept: that fits where the characters before it do.
    const Cut c = part(text, keep, middle, Boundary::kCharacter);
    const bool fit = c.end == c.begin || fits(of(text, c));
    (fit ? most : too_much) = middle;
  }
  const Cut finest = part(text, keep, most, Boundary::kCharacter);
  const std::size_t n_finest = finest.end - finest.begin;
  if (n_finest == 0) return std::nullopt;
  for (const Boundary kind : kBoundaries) {
    if (kind == Boundary::kCharacter) break;
    const Cut coarse = part(text, keep, most, kind);
    if (2 * (coarse.end - coarse.begin) >= n_finest && fits(of(text, coarse))) return coarse;
  }
  return finest;
}

}  // namespace kelda::context
