#include "text/pre_tokenizer.h"

#include <algorithm>

#include "text/byte_alphabet.h"

namespace kelda::text {

Split split(std::string_view pattern, Behavior behavior, bool invert) {
  return {std::make_shared<const Regex>(pattern), behavior, invert};
}

PreTokenizer::Cutter::Cutter(const PreTokenizer& p) : p_(&p) {
  for (const PreTokenizerStep& step : p.steps_) {
    const auto* s = std::get_if<Split>(&step);
    matcher_of_step_.push_back(s != nullptr ? static_cast<int>(matchers_.size()) : -1);
    if (s != nullptr) matchers_.emplace_back(*s->pattern);
  }
}

void PreTokenizer::Cutter::cut(std::string_view text, bool at_start, std::size_t step, const Sink& piece) {
  if (text.empty()) return;
  if (step == p_->steps_.size()) {
    piece(text);
    return;
  }
  const PreTokenizerStep& s = p_->steps_[step];
  if (const auto* by = std::get_if<Split>(&s)) {
    if (by->behavior == Behavior::kIsolated)
      cut_isolated(text, at_start, step, piece);
    else
      cut_split(*by, text, at_start, step, piece);
  } else if (std::holds_alternative<PrefixBlank>(s)) {
    cut(text.front() == ' ' ? text : keep(std::string(1, ' ').append(text)), at_start, step + 1, piece);
  } else if (std::holds_alternative<MapBytes>(s)) {
    std::string mapped;
    for (const char c : text) mapped += byte_characters()[static_cast<uint8_t>(c)];
    cut(keep(std::move(mapped)), at_start, step + 1, piece);
  } else {
    const auto& marks = std::get<Metaspace>(s);
    std::string out;
    for (const char c : text)
      if (c == ' ')
        out += marks.mark;
      else
        out += c;
    const bool wanted = marks.prepend == Metaspace::Prepend::kAlways ||
                        (marks.prepend == Metaspace::Prepend::kFirst && at_start);
    if (wanted && !out.starts_with(marks.mark)) out.insert(0, marks.mark);
    cut(keep(std::move(out)), at_start, step + 1, piece);
  }
}

// The common behavior, without a list of parts.
void PreTokenizer::Cutter::cut_isolated(std::string_view text, bool at_start, std::size_t step,
                                        const Sink& piece) {
  Regex::Walk walk(matchers_[static_cast<std::size_t>(matcher_of_step_[step])], text);
  std::size_t done = 0;
  const auto up_to = [&](std::size_t end) {
    cut(text.substr(done, end - done), at_start && done == 0, step + 1, piece);
    done = end;
  };
  while (done < text.size()) {
    const auto match = walk.next();
    if (!match) break;
    up_to(match->begin);
    up_to(match->end);
  }
  up_to(text.size());
}

void PreTokenizer::Cutter::cut_split(const Split& split, std::string_view text, bool at_start,
                                     std::size_t step, const Sink& piece) {
  std::vector<Part> parts;
  Regex::Walk walk(matchers_[static_cast<std::size_t>(matcher_of_step_[step])], text);
  std::size_t done = 0;
  while (const auto match = walk.next()) {
    if (match->begin > done) parts.push_back({done, match->begin, split.invert});
    parts.push_back({match->begin, match->end, !split.invert});
    done = match->end;
  }
  if (done < text.size()) parts.push_back({done, text.size(), split.invert});

  // Joins each part to the one before it where `joins` says so of the two; a joined part counts as its last.
  std::vector<Part> joined;
  const auto join = [&](auto&& joins) {
    for (const Part& p : parts) {
      if (!joined.empty() && joins(joined.back(), p)) {
        joined.back().end = p.end;
        joined.back().match = p.match;
      } else {
        joined.push_back(p);
      }
    }
  };
  switch (split.behavior) {
    case Behavior::kMergedWithPrevious:
      join([](const Part& before, const Part& p) { return p.match && !before.match; });
      break;
    case Behavior::kMergedWithNext:
      join([](const Part& before, const Part& p) { return before.match && !p.match; });
      break;
    case Behavior::kContiguous:
      join([](const Part& before, const Part& p) { return before.match == p.match; });
      break;
    case Behavior::kRemoved:
    case Behavior::kIsolated:
      join([](const Part&, const Part&) { return false; });
      break;
  }
  for (const Part& p : joined)
    if (split.behavior != Behavior::kRemoved || !p.match)
      cut(text.substr(p.begin, p.end - p.begin), at_start && p.begin == 0, step + 1, piece);
}

}  // namespace kelda::text
