#include <fmt/format.h>

#include "apps/kelda/explain/bars.h"
#include "apps/kelda/explain/explanation.h"
#include "apps/kelda/terminal/style.h"
#include "apps/kelda/token_text.h"
#include "base/quote.h"

namespace kelda::cli {
namespace {

constexpr int kBarColumns = 20;

std::string prompt_text(const Explanation& e) {
  std::string out =
      fmt::format("prompt: {}, {}\n", counted(static_cast<int64_t>(e.prompt.size()), "token"),
                  e.chat_template.empty() ? "raw" : "chat template " + escape_controls(e.chat_template));
  for (const TokenId id : e.prompt)
    out += fmt::format("{:>9}  \"{}\"\n", id, shown_piece(e.model.tokenizer(), id));
  return out;
}

std::string settings_text(const Explanation& e) {
  std::string out;
  for (const Knob* knob : e.knobs.known()) {
    if (!e.knobs.is_set(knob->name)) continue;
    out += fmt::format("  {} {}  ({})\n", knob->name, value_text(e.knobs.value_of(knob->name)),
                       e.knobs.source(knob->name));
  }
  return "settings, and where each came from; the others have their default:\n" +
         (out.empty() ? "  none\n" : escape_controls(out));
}

std::string candidate_text(const Explanation& e, const sampling::DrawRecord& record,
                           const sampling::CandidateRecord& c) {
  const std::string after = c.removed_by < 0 ? fmt::format("{:.4f}", c.p_drawn) : "-";
  const std::string what = fate(record, c);
  const std::string line =
      fmt::format("  {:.4f} {} {:>6} {:>8}  \"{}\"{}{}", c.p, bar(c.p, kBarColumns), after, c.id,
                  shown_piece(e.model.tokenizer(), c.id), what.empty() ? "" : "  ", what);
  if (c.id == record.draw.id) return paint(Stream::kOut, Color::kBold, line) + "\n";
  return (c.removed_by < 0 ? line : paint(Stream::kOut, Color::kDim, line)) + "\n";
}

std::string step_text(const Explanation& e, std::size_t i) {
  const sampling::DrawRecord& record = e.answer.draws[i].record;
  std::string out = fmt::format(
      "\nstep {}, position {}: \"{}\", {}\n", i, e.prompt.size() + i,
      shown_piece(e.model.tokenizer(), record.draw.id),
      record.greedy ? std::string("the likeliest") : fmt::format("drawn by {}", record.draw.uniform));
  out += fmt::format("  entropy {:.3f} bits raw, {:.3f} drawn from; {} of {} tokens left\n",
                     record.raw_entropy, record.entropy, record.draw.n_left, record.n_raw);
  for (const sampling::StageRecord& s : record.stages) {
    out += fmt::format("  {:<20} left {:>7}   {:.4f} of what was before, {:.4f} of the raw\n", s.name,
                       s.n_left, s.mass_kept, s.mass_of_raw);
  }
  out += fmt::format("  raw{:>28} {:>8}  token\n", "drawn from", "id");
  for (const sampling::CandidateRecord& c : record.candidates) out += candidate_text(e, record, c);
  return out;
}

}  // namespace

std::string finish_text(const Event& last) {
  std::string out(name(*last.finish));
  if (last.rule != StopRule::kNone) out += fmt::format(" ({})", name(last.rule));
  if (!last.stop.empty()) out += " at " + quote(last.stop);
  if (!last.error.empty()) out += ": " + escape_controls(last.error);
  return out;
}

std::string context_text(const ContextReport& context) {
  std::string out = fmt::format("window {}, prompt {} of {} tokens", context.window, context.prompt_kept,
                                context.prompt_given);
  if (context.prompt_dropped > 0) out += fmt::format(", dropped {}", context.prompt_dropped);
  if (context.prompt_summarised > 0)
    out += fmt::format(", condensed {} to {}", context.prompt_summarised, context.prompt_added);
  return out + fmt::format(", left {}", context.left);
}

std::string setting_text(const Knobs& knobs, const Knob& knob) {
  return knobs.is_set(knob.name) ? value_text(knobs.value_of(knob.name)) : default_text(knob);
}

std::string explanation_text(const Explanation& e, bool quiet) {
  const Event& last = e.answer.last;
  std::string out = fmt::format("model: {}\n", escape_controls(e.model_name)) + prompt_text(e);
  out += settings_text(e);
  out += fmt::format("prefix cache: {}: {}\n", name(e.answer.admitted.prefix.outcome),
                     why(e.answer.admitted.prefix));
  for (std::size_t i = 0; i < e.answer.draws.size(); ++i) out += step_text(e, i);
  out += fmt::format("\nanswer: {}\n", quote(e.answer.text, std::string::npos));
  out += fmt::format("ended by {}; seed {}\n", finish_text(last), e.answer.admitted.seed);
  out += passes_text(e.passes);
  out += fmt::format("context: {}\n", context_text(last.context));
  if (quiet) return out;
  return out + fmt::format("queue {:.1f} ms, prefill {:.1f} ms, decode {:.1f} ms\n", last.phases.queue * 1e3,
                           last.phases.prefill * 1e3, last.phases.decode * 1e3);
}

}  // namespace kelda::cli
