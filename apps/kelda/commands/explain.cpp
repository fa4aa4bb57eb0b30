// kelda explain: an answer, and for each of its tokens how it was drawn.
#include <algorithm>

#include "apps/kelda/asking.h"
#include "apps/kelda/command.h"
#include "apps/kelda/explain/explanation.h"
#include "apps/kelda/fitting.h"
#include "apps/kelda/generation.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/profile.h"
#include "apps/kelda/session.h"
#include "apps/kelda/terminal/say.h"
#include "apps/kelda/trace_file.h"
#include "base/error.h"
#include "sampling/request_knobs.h"

namespace kelda::cli::explain {
namespace {

struct Arguments : Asking {
  Arguments() : Asking(sampling::request_knobs()) {}
  int64_t top = 10;
  bool json = false;
  std::string html, trace;
};

void check(const Arguments& a) {
  for (const std::string_view name : {"logprobs", "prompt_logprobs"}) {
    if (a.knobs.integer(name) >= 0)
      fail(ErrorCode::kUsage, "{} goes with kelda run --json; here --top says how many are told",
           flag_name(name));
  }
  check_output("--html", a.html, a);
  check_output("--trace", a.trace, a);
  const auto whole = [](const std::string& file) { return std::filesystem::weakly_canonical(file); };
  if (!a.html.empty() && !a.trace.empty() && whole(a.html) == whole(a.trace))
    fail(ErrorCode::kUsage, "--html and --trace name the same file");
}

// For a trace more may have been asked for than is to be shown: the n likeliest of the raw distribution, the
// n likeliest that were left, and what was drawn.
void keep_top(sampling::DrawRecord& record, std::size_t n) {
  using Candidate = sampling::CandidateRecord;
  std::vector<const Candidate*> left;
  for (const Candidate& c : record.candidates)
    if (c.p_drawn > 0) left.push_back(&c);
  std::sort(left.begin(), left.end(), [](const Candidate* a, const Candidate* b) {
    return a->p_drawn != b->p_drawn ? a->p_drawn > b->p_drawn : a->id < b->id;
  });
  left.resize(std::min(n, left.size()));
  std::vector<TokenId> likely;
  for (const Candidate* c : left) likely.push_back(c->id);
  std::sort(likely.begin(), likely.end());
  std::vector<Candidate> kept;
  for (std::size_t i = 0; i < record.candidates.size(); ++i) {  // in the order of the raw distribution
    const Candidate& c = record.candidates[i];
    if (i < n || c.id == record.draw.id || std::binary_search(likely.begin(), likely.end(), c.id))
      kept.push_back(c);
  }
  record.candidates = std::move(kept);
}

void show(const Arguments& a, const Explanation& e) {
  if (!a.html.empty()) {
    AtomicFile page(a.html);
    page.write(explanation_page(e));
    page.commit();
  }
  if (a.json) {
    write_out(explanation_json(e).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  } else if (a.html.empty()) {
    write_out(explanation_text(e, a.model.quiet));
  }
}

int run(Arguments& a) {
  const std::string prompt = settle(a);
  check(a);
  context::check_policy(a.knobs, /*streams=*/false);
  Session session(a.model);
  const int64_t vocab_size = session.model().config().vocab_size;
  if (a.top > vocab_size)
    fail(ErrorCode::kUsage, "--top asks for {} tokens; the model has {}", a.top, vocab_size);
  // What it sets is told with all settings.
  (void)apply_profile(session.resolved(), session.model().recommended(), a.knobs);
  const context::Given given = given_prompt(a, session.model(), prompt);
  Engine engine(session.runner(), {});
  const InterruptGuard interrupt;
  const auto fitted = fit_only_prompt(engine, session.model(), given, a.knobs, interrupt, a.model.quiet);
  if (!fitted) return interrupt.exit_status();
  Explanation e{session.model(), a.model.model, given.is_raw() ? "" : given.chat_template->name(),
                fitted->prompt, a.knobs};
  Request request{fitted->prompt, a.knobs, std::max(a.top, trace_candidates(a.trace, session.model()))};
  e.answer = cli::generate(
      engine, std::move(request), interrupt, [](std::string_view) {},
      [](const Engine::Admitted& admitted) {
        for (const std::string& notice : admitted.notices) say("note: {}\n", notice);
      });
  e.answer.admitted.notices.insert(e.answer.admitted.notices.begin(), fitted->notices.begin(),
                                   fitted->notices.end());
  e.passes = e.answer.last.usage;
  context::add_to_report(*fitted, e.answer.last);
  const Answer traced = a.trace.empty() ? Answer() : e.answer;  // which may have more than is shown
  for (DrawReport& report : e.answer.draws) keep_top(report.record, static_cast<std::size_t>(a.top));
  show(a, e);
  write_trace(a.trace, a, session, e.prompt, traced);
  const Event& last = e.answer.last;
  for (const std::string& notice : last.notices) say("note: {}\n", notice);
  if (last.finish == FinishReason::kError) fail(last.error_code, "{}", last.error);
  return last.finish == FinishReason::kCancelled ? interrupt.exit_status() : 0;
}

}  // namespace

const Command& command() {
  static const Command c{
      "explain", "Answer a prompt and show how each token was drawn",
      [](CLI::App& app) -> std::function<int()> {
        auto a = std::make_shared<Arguments>();
        add_asking_options(app, *a);
        allow_integers(
            *app.add_option("--top", a->top, "How many of the likeliest tokens are shown of each step")
                 ->capture_default_str(),
            1, 1000);
        app.add_flag("--json", a->json, "Print one JSON object");
        refuse_empty(
            *app.add_option("--html", a->html,
                            "Write a page that needs nothing but itself to this file, whole or not at "
                            "all, and print no text")
                 ->type_name("FILE"));
        add_trace_option(app, a->trace);
        return [a] { return run(*a); };
      }};
  return c;
}

}  // namespace kelda::cli::explain
