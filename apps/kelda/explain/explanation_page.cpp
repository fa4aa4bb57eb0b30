#include <fmt/format.h>

#include "apps/kelda/explain/bars.h"
#include "apps/kelda/explain/explanation.h"
#include "apps/kelda/html.h"
#include "apps/kelda/terminal/style.h"
#include "apps/kelda/token_text.h"
#include "base/check.h"
#include "base/quote.h"

namespace kelda::embedded {
extern const std::string_view explain_page;
}

namespace kelda::cli {
namespace {

// Alone in its direction: a token of a right-to-left script must not turn the numbers beside it around.
std::string piece(const Explanation& e, TokenId id) {
  return fmt::format("<bdi class=\"piece\">{}</bdi>", html(shown_piece(e.model.tokenizer(), id)));
}

std::string row(std::string_view head, std::string_view data) {
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", head, data);
}

std::string prompt_part(const Explanation& e) {
  std::string out = fmt::format(
      "<details>\n<summary>Prompt: {}, {}</summary>\n<table>\n<thead><tr><th scope=\"col\" "
      "class=\"number\">id</th><th scope=\"col\">token</th></tr></thead>\n<tbody>\n",
      counted(static_cast<int64_t>(e.prompt.size()), "token"),
      e.chat_template.empty() ? "raw" : "chat template " + html(e.chat_template));
  for (const TokenId id : e.prompt)
    out += fmt::format("<tr><td class=\"number\">{}</td><td>{}</td></tr>\n", id, piece(e, id));
  return out + "</tbody>\n</table>\n</details>\n";
}

std::string settings_part(const Explanation& e) {
  std::string out =
      "<details>\n<summary>Settings, and where each came from</summary>\n<table>\n<thead><tr><th "
      "scope=\"col\">setting</th><th scope=\"col\">value</th><th scope=\"col\">from</th></tr></thead>\n"
      "<tbody>\n";
  for (const Knob* knob : e.knobs.known()) {
    out += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>\n", html(knob->name),
                       html(setting_text(e.knobs, *knob)), html(e.knobs.source(knob->name)));
  }
  return out + "</tbody>\n</table>\n</details>\n";
}

std::string summary_part(const Explanation& e) {
  const Event& last = e.answer.last;
  std::string out = "<table>\n<tbody>\n" + row("model", html(e.model_name));
  out += row("ended by", html(finish_text(last)));
  out += row("seed", fmt::format("{}", e.answer.admitted.seed));
  out += row("passes", html(passes_text(e.passes)));
  out += row("context", html(context_text(last.context)));
  out +=
      row("time", fmt::format("queue {:.1f} ms, prefill {:.1f} ms, decode {:.1f} ms", last.phases.queue * 1e3,
                              last.phases.prefill * 1e3, last.phases.decode * 1e3));
  out +=
      row("prefix cache",
          html(fmt::format("{}: {}", name(e.answer.admitted.prefix.outcome), why(e.answer.admitted.prefix))));
  return out + "</tbody>\n</table>\n";
}

std::string answer_part(const Explanation& e) {
  std::string out = "<p class=\"answer\">\n";
  for (std::size_t i = 0; i < e.answer.draws.size(); ++i) {
    const sampling::DrawRecord& record = e.answer.draws[i].record;
    out += fmt::format("<a href=\"#step-{}\" title=\"step {}, raw probability {:.4f}\">{}</a>\n", i, i,
                       drawn_of(record).p, piece(e, record.draw.id));
  }
  return out +
         "</p>\n<nav aria-label=\"Steps\" hidden>\n<button type=\"button\">← previous</button>\n<button "
         "type=\"button\">next →</button>\n<output></output>\n</nav>\n";
}

std::string candidate_row(const Explanation& e, const sampling::DrawRecord& record,
                          const sampling::CandidateRecord& c) {
  const bool cut = c.removed_by >= 0;
  std::string bars = fmt::format("<span class=\"bar\" style=\"width:{:.2f}%\"></span>", c.p * 100);
  if (!cut) bars += fmt::format("<span class=\"bar kept\" style=\"width:{:.2f}%\"></span>", c.p_drawn * 100);
  return fmt::format(
      "<tr{}><td>{}</td><td class=\"number\">{}</td><td class=\"chart\">{}</td><td "
      "class=\"number\">{:.4f}</td>"
      "<td class=\"number\">{}</td><td>{}</td></tr>\n",
      c.id == record.draw.id ? " class=\"drawn\""
      : cut                  ? " class=\"cut\""
                             : "",
      piece(e, c.id), c.id, bars, c.p, cut ? std::string("–") : fmt::format("{:.4f}", c.p_drawn),
      html(fate(record, c)));
}

std::string stage_rows(const sampling::DrawRecord& record) {
  std::string out;
  for (const sampling::StageRecord& s : record.stages) {
    out += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{:.4f}</td><td "
        "class=\"number\">{:.4f}</td></tr>\n",
        html(s.name), s.n_left, s.mass_kept, s.mass_of_raw);
  }
  return out;
}

std::string step_part(const Explanation& e, std::size_t i) {
  const sampling::DrawRecord& record = e.answer.draws[i].record;
  std::string out = fmt::format(
      "<section class=\"step\" id=\"step-{0}\" aria-labelledby=\"step-{0}-title\">\n"
      "<h2 id=\"step-{0}-title\">Step {0}, position {1}: {2}</h2>\n"
      "<p>{3}. Entropy {4:.3f} bits raw, {5:.3f} of what was drawn from; {6} of {7} tokens were left.</p>\n",
      i, e.prompt.size() + i, piece(e, record.draw.id),
      record.greedy ? std::string("The likeliest was taken")
                    : fmt::format("Drawn by the random number {}", record.draw.uniform),
      record.raw_entropy, record.entropy, record.draw.n_left, record.n_raw);
  out +=
      "<table>\n<caption>The likeliest tokens: raw above, as drawn from below; pale where they were "
      "cut</caption>\n<thead><tr><th scope=\"col\">token</th><th scope=\"col\" class=\"number\">id</th><th "
      "scope=\"col\">probability</th><th scope=\"col\" class=\"number\">raw</th><th scope=\"col\" "
      "class=\"number\">drawn from</th><th scope=\"col\">what became of it</th></tr></thead>\n<tbody>\n";
  for (const sampling::CandidateRecord& c : record.candidates) out += candidate_row(e, record, c);
  out += "</tbody>\n</table>\n";
  if (!record.stages.empty()) {
    out +=
        "<table>\n<caption>What each stage left</caption>\n<thead><tr><th scope=\"col\">stage</th><th "
        "scope=\"col\" class=\"number\">tokens left</th><th scope=\"col\" class=\"number\">mass of what was "
        "before</th><th scope=\"col\" class=\"number\">mass of the raw</th></tr></thead>\n<tbody>\n" +
        stage_rows(record) + "</tbody>\n</table>\n";
  }
  return out + "</section>\n";
}

}  // namespace

std::string explanation_page(const Explanation& e) {
  constexpr std::string_view kPlace = "{{BODY}}";
  const std::string_view page = embedded::explain_page;
  const std::size_t at = page.find(kPlace);
  KELDA_CHECK(at != std::string_view::npos);
  std::string out(page.substr(0, at));
  out += "<h1>How an answer came to be</h1>\n" + answer_part(e);
  for (std::size_t i = 0; i < e.answer.draws.size(); ++i) out += step_part(e, i);
  out += summary_part(e) + settings_part(e) + prompt_part(e);
  return out.append(page.substr(at + kPlace.size()));
}

}  // namespace kelda::cli
