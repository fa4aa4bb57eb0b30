#include "context/condense.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "context/cut.h"

namespace kelda::context {
namespace {

// The question stands before and behind the text: small models forget one that is far away.
std::string instruction(const std::string& earlier, std::string_view text) {
  constexpr std::string_view kWish =
      "Summarize the text below in a few sentences. Keep names, numbers, decisions and open questions.";
  if (earlier.empty()) return fmt::format("{}\n\nText:\n{}\n\nSummary of the text:", kWish, text);
  return fmt::format(
      "{}\n\nSummary of what came before it:\n{}\n\nText:\n{}\n\nSummary of all of it, what came before "
      "included:",
      kWish, earlier, text);
}

std::string marked(const std::string& summary) {
  return fmt::format("[Summary, written by the model, of a part that does not fit:\n{}]", summary);
}

std::size_t first_that_is_not_pinned(const Given& given) {
  const auto& messages = messages_of(given);
  const auto found = std::find_if_not(messages.begin(), messages.end(), is_pinned);
  return found == messages.end() ? 0 : static_cast<std::size_t>(found - messages.begin());
}

}  // namespace

Summary condense(const Given& like, const std::string& earlier, std::string_view text, int64_t max_tokens,
                 Means& means) {
  Summary summary{.text = earlier};
  while (!text.empty()) {
    const auto asked = [&](std::string_view part) {
      return asked_like(like, instruction(summary.text, part));
    };
    const auto fits = [&](std::string_view part) {
      return means.count(asked(part)) + max_tokens <= means.window();
    };
    const auto piece = cut(text, Keep::kStart, fits);
    if (!piece) {
      fail(ErrorCode::kContextLength,
           "context_policy summarize: the window of {} has no room for a piece of what should be condensed, "
           "beside a summary of {}",
           means.window(), max_tokens);
    }
    Written written = means.write(asked(text.substr(0, piece->end)), max_tokens);
    ++summary.n_pieces;
    if (written.text.empty()) {
      ++summary.n_unwritten;
    } else {
      summary.text = std::move(written.text);
      summary.ended = written.ended;
    }
    text.remove_prefix(piece->end);
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBlanks)));
  }
  return summary;
}

Given with_summary(const Given& kept, const std::string& summary, const std::optional<TextPlace>& behind) {
  const std::string mark = marked(summary);
  if (kept.is_raw()) {
    Given changed = kept;
    changed.raw = behind ? fmt::format("{}\n\n{}", kept.raw, mark) : fmt::format("{}\n\n{}", mark, kept.raw);
    return changed;
  }
  if (!behind) return with_text_before(kept, first_that_is_not_pinned(kept), mark);
  return with_text(kept, *behind, fmt::format("{}\n\n{}", text_at(kept, *behind), mark));
}

}  // namespace kelda::context
