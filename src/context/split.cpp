#include "context/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/trim.h"
#include "context/boundaries.h"

namespace kelda::context {
namespace {

constexpr std::string_view kNothing = "Nothing here.";

// Where the message of the user is; its content is text, or parts of which one is.
TextPlace place_of_message(const Given& given) {
  if (given.is_raw()) {
    fail(ErrorCode::kUsage,
         "context_policy split needs a message of a user, with a chat template; a raw prompt can be cut "
         "(truncate) or condensed (summarize)");
  }
  std::size_t n = 0;
  for (const jinja::Value& message : messages_of(given)) n += is_pinned(message) ? 0 : 1;
  const auto place = longest_text(given);
  const bool is_users = place && role_of(messages_of(given)[place->message]) == "user";
  if (n != 1 || !is_users || place->part) {
    fail(ErrorCode::kUsage,
         "context_policy split needs one long message of the user beside system messages; here are {} others "
         "or parts of it that are no text; truncate and summarize take any conversation",
         n == 0 ? 0 : n - 1);
  }
  return *place;
}

// How the model is asked about one text at a time.
class Asker {
 public:
  Asker(const Given& given, const Question& question, bool question_first)
      : given_(given),
        place_(place_of_message(given)),
        question_(question.question),
        first_(question_first) {}

  Given of_piece(std::string_view piece) const {
    return ask(fmt::format("Part of a longer text:\n\n{}", piece),
               fmt::format("If this part does not tell, answer: {}", kNothing));
  }
  Given of_notes(const std::vector<std::string>& notes) const {
    const std::string all =
        notes.empty() ? std::string(kNothing) : fmt::format("{}", fmt::join(notes, "\n\n"));
    return ask(fmt::format("What was found in the parts of a longer text, in their order:\n\n{}", all), "");
  }
  Given of_nothing() const { return with_text(given_, place_, question_); }

 private:
  Given ask(const std::string& text, const std::string& more) const {
    const std::string question = more.empty() ? question_ : fmt::format("{}\n{}", question_, more);
    return with_text(
        given_, place_,
        first_ ? fmt::format("{}\n\n{}", question, text) : fmt::format("{}\n\n{}", text, question));
  }

  const Given& given_;
  TextPlace place_;
  std::string question_;
  bool first_;
};

bool says_nothing(std::string_view note) {
  const std::string_view nothing = kNothing.substr(0, kNothing.size() - 1);
  return note.empty() || (note.starts_with(nothing) && note.size() <= kNothing.size());
}

// Adds what a run has found, if anything.
void add_note(std::vector<std::string>& notes, std::string note) {
  if (!says_nothing(note)) notes.push_back(std::move(note));
}

[[noreturn]] void fail_for_window(int64_t window, std::string_view what) {
  fail(ErrorCode::kContextLength, "context_policy split: the window of {} has no room for {}", window, what);
}

// Where the next piece begins, after one of [begin, end).
std::size_t next_begin(std::string_view text, std::size_t begin, std::size_t end, double overlap) {
  const auto n = static_cast<std::size_t>(overlap * static_cast<double>(end - begin));
  for (const Boundary kind : kBoundaries) {
    if (n == 0) break;
    const Gap gap = gap_from(text, end - n, kind);
    if (gap.begin > begin && gap.begin < end) return gap.begin;
  }
  return std::min(text.size(), text.find_first_not_of(kBlanks, end));
}

// Fewer notes that say the same: neighbours are put together, as many as can be read at once.
std::vector<std::string> put_together(const std::vector<std::string>& notes, const Asker& asker,
                                      int64_t n_note, Means& means,
                                      const std::function<std::string(const Given&)>& write) {
  std::vector<std::string> fewer;
  for (std::size_t first = 0; first < notes.size();) {
    std::vector<std::string> group;
    while (first + group.size() < notes.size()) {
      group.push_back(notes[first + group.size()]);
      if (means.count(asker.of_notes(group)) + n_note <= means.window()) continue;
      group.pop_back();
      break;
    }
    const bool is_rest = first + 1 == notes.size();
    if (group.size() < 2 && !is_rest) fail_for_window(means.window(), "the answers of two pieces");
    add_note(fewer, is_rest ? notes[first] : write(asker.of_notes(group)));
    first += std::max<std::size_t>(1, group.size());
  }
  return fewer;
}

}  // namespace

Question question_of(const Given& given, bool question_first) {
  const std::string_view text = trimmed(text_at(given, place_of_message(given)), kBlanks);
  const Gap gap = text.empty()     ? Gap{}
                  : question_first ? gap_from(text, 1, Boundary::kParagraph)
                                   : gap_until(text, text.size() - 1, Boundary::kParagraph);
  if (gap.end == 0 || gap.begin >= text.size()) {
    fail(ErrorCode::kBadInput,
         "context_policy split: no empty line tells the question from the document; the question is the {} "
         "paragraph of the message (split_question)",
         question_first ? "first" : "last");
  }
  const std::string_view before = text.substr(0, gap.end), after = text.substr(gap.begin);
  return question_first ? Question{before, after} : Question{after, before};
}

std::vector<std::string_view> pieces_of(std::string_view text, double overlap,
                                        const std::function<bool(std::string_view)>& fits) {
  std::vector<std::string_view> pieces;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto c = cut(text.substr(begin), Keep::kStart, fits);
    if (!c) fail(ErrorCode::kContextLength, "context_policy split: the window has no room for a piece");
    const std::size_t end = begin + c->end;
    pieces.push_back(text.substr(begin, c->end));
    if (end == text.size()) break;
    begin = next_begin(text, begin, end, overlap);
  }
  return pieces;
}

Combined split(const Given& given, const Settings& settings, Means& means) {
  const Question question = question_of(given, settings.question_first);
  const Asker asker(given, question, settings.question_first);
  const int64_t n_note = std::max<int64_t>(1, means.window() / 8);
  const auto pieces = pieces_of(question.document, settings.overlap, [&](std::string_view piece) {
    return means.count(asker.of_piece(piece)) + n_note <= means.window();
  });
  Combined combined;
  combined.n_pieces = static_cast<int64_t>(pieces.size());
  const auto write = [&](const Given& asked) {
    Written written = means.write(asked, n_note);
    combined.n_broken_off += written.ended ? 0 : 1;
    return std::move(written.text);
  };
  std::vector<std::string> notes;
  for (const std::string_view piece : pieces) add_note(notes, write(asker.of_piece(piece)));
  while (means.count(asker.of_notes(notes)) + settings.room > means.window()) {
    if (notes.size() < 2) fail_for_window(means.window(), "what one piece says, beside the answer to all");
    notes = put_together(notes, asker, n_note, means, write);
    ++combined.n_rounds;
  }
  combined.prompt = asker.of_notes(notes);
  combined.question = asker.of_nothing();
  return combined;
}

}  // namespace kelda::context
