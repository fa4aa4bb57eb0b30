#include "context/shorten.h"

#include <span>
#include <utility>

#include "base/trim.h"
#include "context/turns.h"

namespace kelda::context {
namespace {

// What a cut leaves out, without the blanks at the place of the cut.
std::string outside(std::string_view text, const Cut& c, Keep keep) {
  return std::string(trimmed(keep == Keep::kEnd ? text.substr(0, c.begin) : text.substr(c.end), kBlanks));
}

std::optional<Shortened> shorten_raw(const Given& given, Keep keep,
                                     const std::function<bool(const Given&)>& fits) {
  const auto with_raw = [&](std::string_view text) {
    Given changed = given;
    changed.raw = std::string(text);
    return changed;
  };
  const std::string_view text = given.raw;
  const auto c = cut(text, keep, [&](std::string_view part) { return fits(with_raw(part)); });
  if (!c) return std::nullopt;
  return Shortened{with_raw(text.substr(c->begin, c->end - c->begin)), 0, c->at, TextPlace{},
                   outside(text, *c, keep)};
}

void cut_longest(Shortened& shortened, const TextPlace& place, const Cut& c, Keep keep) {
  const std::string_view text = text_at(shortened.kept, place);
  const std::string gone = outside(text, c, keep);
  shortened.left_out += (shortened.left_out.empty() ? "" : "\n\n") + gone;
  shortened.cut_at = c.at;
  shortened.cut_in = place;
  shortened.kept = with_text(shortened.kept, place, std::string(text.substr(c.begin, c.end - c.begin)));
}

}  // namespace

std::optional<Shortened> shorten(const Given& given, Keep keep,
                                 const std::function<bool(const Given&)>& fits) {
  if (given.is_raw()) return shorten_raw(given, keep, fits);
  const std::vector<jinja::Value>& messages = messages_of(given);
  const std::vector<Turn> turns = droppable_turns(messages);
  const auto without_oldest = [&](std::size_t n) {
    return with_messages(given, without(messages, std::span(turns).first(n)));
  };
  // The fewest that are enough, or all: fewer do not fit where more do not.
  std::size_t too_few = 0, enough = turns.size();
  const bool fit = enough > 0 && fits(without_oldest(enough));
  while (fit && enough - too_few > 1) {
    const std::size_t middle = too_few + (enough - too_few) / 2;
    (fits(without_oldest(middle)) ? enough : too_few) = middle;
  }
  Shortened shortened{.kept = without_oldest(enough),
                      .n_turns = enough,
                      .left_out = transcript(only(messages, std::span(turns).first(enough)))};
  if (fit) return shortened;
  const auto place = longest_text(shortened.kept);
  if (!place) return std::nullopt;
  const auto c = cut(text_at(shortened.kept, *place), keep, [&](std::string_view part) {
    return fits(with_text(shortened.kept, *place, std::string(part)));
  });
  if (!c) return std::nullopt;
  cut_longest(shortened, *place, *c, keep);
  return shortened;
}

}  // namespace kelda::context
