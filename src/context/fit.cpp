#include "context/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "context/condense.h"
#include "context/shorten.h"
#include "context/split.h"
#include "context/turns.h"

namespace kelda::context {
namespace {

// "the 3 oldest turns and the end of the longest message (cut at a paragraph)"
std::string what_went(std::size_t n_turns, const Shortened& shortened, const Given& given, Keep keep) {
  std::string what;
  if (n_turns > 0) what = n_turns == 1 ? "the oldest turn" : fmt::format("the {} oldest turns", n_turns);
  if (shortened.cut_at) {
    what += fmt::format("{}the {} of {} (cut at a {})", what.empty() ? "" : " and ",
                        keep == Keep::kEnd ? "beginning" : "end",
                        given.is_raw() ? "the prompt" : "the longest message", name(*shortened.cut_at));
  }
  return what;
}

class Fitting {
 public:
  Fitting(const Given& given, const Settings& settings, Means& means)
      : given_(given), settings_(settings), means_(means) {
    fitted_.prompt = means.ids(given);
    fitted_.given = static_cast<int64_t>(fitted_.prompt.size());
    fitted_.kept = fitted_.given;
  }

  Fitted fit(const Digest& before) {
    fitted_.digest = before;
    if (settings_.policy == Policy::kSummarize && given_.is_raw() &&
        given_.special == text::Special::kParse) {
      fail(ErrorCode::kUsage,
           "context_policy summarize and special tokens in a raw prompt exclude each other: what the model "
           "writes would be read as such");
    }
    const bool as_it_is = settings_.policy == Policy::kRefuse || fits(fitted_.given);
    if (!as_it_is) {
      if (settings_.policy == Policy::kTruncate) truncate();
      if (settings_.policy == Policy::kSummarize) summarize(before);
      if (settings_.policy == Policy::kSplit) split();
    }
    fitted_.n_runs = means_.n_runs();
    fitted_.usage = means_.usage();
    return std::move(fitted_);
  }

 private:
  bool fits(int64_t n_tokens) const { return n_tokens + settings_.room <= means_.window(); }

  [[noreturn]] void fail_to_fit(int64_t more) const {
    fail(ErrorCode::kContextLength,
         "the prompt has {} tokens and the window is {}, of which {} are left for the answer{}: "
         "context_policy "
         "{} can leave out no more{}",
         fitted_.given, means_.window(), settings_.room,
         more > 0 ? fmt::format(" and {} for a summary", more) : "", name(settings_.policy),
         given_.is_raw() ? "" : ", the system message and the last message of the user stay");
  }

  // Where the window is too small for a policy's own runs, which know nothing of the whole.
  template <typename Act>
  auto with_counts(const Act& act) const {
    try {
      return act();
    } catch (const Error& e) {
      if (e.code() != ErrorCode::kContextLength) throw;
      fail(ErrorCode::kContextLength, "{}; the prompt has {} tokens and the window is {}", e.what(),
           fitted_.given, means_.window());
    }
  }

  void say(std::string_view what_happened) {
    fitted_.notices.push_back(fmt::format("context_policy {}: {}", name(settings_.policy), what_happened));
  }

  void truncate() {
    const auto shortened =
        shorten(given_, settings_.keep, [&](const Given& kept) { return fits(means_.count(kept)); });
    if (!shortened) fail_to_fit(0);
    fitted_.prompt = means_.ids(shortened->kept);
    fitted_.kept = static_cast<int64_t>(fitted_.prompt.size());
    fitted_.dropped = fitted_.given - fitted_.kept;
    fitted_.n_turns = shortened->n_turns;
    fitted_.cut = shortened->cut_at.has_value();
    say(fmt::format("dropped {}; kept {} of {} tokens",
                    what_went(fitted_.n_turns, *shortened, given_, settings_.keep), fitted_.kept,
                    fitted_.given));
  }

  // The turns that the digest is a summary of; 0 where it is none of whole turns at the beginning.
  std::size_t turns_of(const Digest& digest, std::span<const Turn> turns) const {
    std::size_t n_messages = 0;
    for (std::size_t n = 0; n < turns.size() && n_messages < digest.n_messages; ++n) {
      n_messages += turns[n].size();
      if (n_messages == digest.n_messages && is_beginning(turns.first(n + 1))) return n + 1;
    }
    return 0;
  }

  // Whether nothing but pinned messages stands before or between these.
  bool is_beginning(std::span<const Turn> turns) const {
    std::size_t n_in_turns = 0, n_before = 0;
    for (const Turn& turn : turns) n_in_turns += turn.size();
    const auto& messages = messages_of(given_);
    for (std::size_t i = 0; i <= turns.back().back(); ++i) n_before += is_pinned(messages[i]) ? 0 : 1;
    return n_in_turns == n_before;
  }

  void summarize(const Digest& before) {
    const std::vector<Turn> turns =
        given_.is_raw() ? std::vector<Turn>() : droppable_turns(messages_of(given_));
    const std::size_t n_known = turns_of(before, turns);
    const std::string earlier = n_known > 0 ? before.text : std::string();
    const Given rest =
        n_known > 0 ? with_messages(given_, without(messages_of(given_), std::span(turns).first(n_known)))
                    : given_;
    if (n_known > 0 && fits(means_.count(with_summary(rest, earlier, {})))) {
      fitted_.n_turns = n_known;
      take_summary(rest, {.text = earlier}, {});
      return say(fmt::format("a summary of before, {} tokens, stands for the {} oldest turns, {} tokens",
                             fitted_.added, n_known, fitted_.summarised));
    }
    const int64_t n_summary = std::max<int64_t>(1, means_.window() / 4);
    const auto shortened = shorten(rest, settings_.keep, [&](const Given& kept) {
      return fits(means_.count(with_summary(kept, "", {})) + n_summary);
    });
    if (!shortened) fail_to_fit(n_summary);
    fitted_.n_turns = n_known + shortened->n_turns;
    fitted_.cut = shortened->cut_at.has_value();
    const Summary summary =
        with_counts([&] { return condense(given_, earlier, shortened->left_out, n_summary, means_); });
    const bool behind = settings_.keep == Keep::kStart && fitted_.n_turns == 0;
    const bool whole = take_summary(shortened->kept, summary, behind ? shortened->cut_in : std::nullopt);
    const bool nothing_new = summary.n_unwritten == summary.n_pieces;
    // What is new has gone, and what was condensed before stays so.
    if (nothing_new && n_known > 0 && fitted_.added > 0) {
      fitted_.dropped = means_.count(rest) - fitted_.kept;
      fitted_.summarised = fitted_.given - fitted_.kept - fitted_.dropped;
    }
    say(what_became(
        what_went(nothing_new ? shortened->n_turns : fitted_.n_turns, *shortened, given_, settings_.keep),
        summary, whole));
    fitted_.digest = n_known > 0 && summary.n_unwritten > 0 ? before : Digest();
    const auto gone = std::span(turns).first(fitted_.n_turns);
    if (summary.n_unwritten == 0 && !fitted_.cut && fitted_.added > 0 && is_beginning(gone))
      fitted_.digest = {messages_in(gone), summary.text};
  }

  // `what` was to be condensed. whole: the summary had room.
  std::string what_became(const std::string& what, const Summary& summary, bool whole) const {
    if (summary.n_pieces == 0)
      return fmt::format("dropped {}, which is blank; kept {} of {} tokens", what, fitted_.kept,
                         fitted_.given);
    if (summary.n_unwritten == summary.n_pieces) {
      return fmt::format("dropped {}, since the model wrote no summary{}; kept {} of {} tokens", what,
                         fitted_.added > 0 ? " of it beside that of before" : "", fitted_.kept,
                         fitted_.given);
    }
    if (fitted_.added == 0) {
      return fmt::format("dropped {}, since there is no room for the summary; kept {} of {} tokens", what,
                         fitted_.kept, fitted_.given);
    }
    std::string out = fmt::format("condensed {}, {} tokens, to {}", what, fitted_.summarised, fitted_.added);
    if (!summary.ended) out += ", where the summary breaks off";
    if (!whole) out += ", the beginning of the summary, for which there is no more room";
    if (summary.n_unwritten > 0)
      out +=
          fmt::format("; of {} of {} pieces the model wrote nothing", summary.n_unwritten, summary.n_pieces);
    return out;
  }

  static std::size_t messages_in(std::span<const Turn> turns) {
    std::size_t n = 0;
    for (const Turn& turn : turns) n += turn.size();
    return n;
  }

  // The prompt of what is kept and a summary of the rest, as much of it as there is room for: read as text
  // again, it may have more tokens than were written. Returns whether it is all of it.
  bool take_summary(const Given& kept, const Summary& summary, const std::optional<TextPlace>& behind) {
    const auto fits_with = [&](std::string_view text) {
      return fits(means_.count(with_summary(kept, std::string(text), behind)));
    };
    std::string text = summary.text;
    if (!text.empty() && !fits_with(text)) {
      const auto c = cut(text, Keep::kStart, fits_with);
      text.resize(c ? c->end : 0);
    }
    fitted_.kept = means_.count(kept);
    fitted_.prompt = means_.ids(text.empty() ? kept : with_summary(kept, text, behind));
    fitted_.added = static_cast<int64_t>(fitted_.prompt.size()) - fitted_.kept;
    (text.empty() ? fitted_.dropped : fitted_.summarised) = fitted_.given - fitted_.kept;
    return text.size() == summary.text.size();
  }

  void split() {
    const Combined combined = with_counts([&] { return context::split(given_, settings_, means_); });
    fitted_.prompt = means_.ids(combined.prompt);
    fitted_.kept = means_.count(combined.question);
    fitted_.added = static_cast<int64_t>(fitted_.prompt.size()) - fitted_.kept;
    fitted_.summarised = fitted_.given - fitted_.kept;
    fitted_.cut = true;
    std::string what =
        fmt::format("read the message in {} pieces; what they say, {} tokens, takes the place of {}",
                    combined.n_pieces, fitted_.added, fitted_.summarised);
    if (combined.n_rounds > 0)
      what += fmt::format("; it was put together in {} round{} before", combined.n_rounds,
                          combined.n_rounds == 1 ? "" : "s");
    if (combined.n_broken_off > 0)
      what += fmt::format("; {} answer{} broke off at the limit", combined.n_broken_off,
                          combined.n_broken_off == 1 ? "" : "s");
    say(what);
  }

  const Given& given_;
  const Settings& settings_;
  Means& means_;
  Fitted fitted_;
};

}  // namespace

Fitted fit(const Given& given, const Settings& settings, Means& means, const Digest& before) {
  return Fitting(given, settings, means).fit(before);
}

void add_to_report(const Fitted& fitted, Event& last) {
  add_to(last.usage, fitted.usage);
  last.context.prompt_given = fitted.given;
  last.context.prompt_kept = fitted.kept;
  last.context.prompt_dropped = fitted.dropped;
  last.context.prompt_summarised = fitted.summarised;
  last.context.prompt_added = fitted.added;
  last.context.runs = fitted.n_runs;
}

}  // namespace kelda::context
