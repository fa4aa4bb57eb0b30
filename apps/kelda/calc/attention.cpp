// kelda calc attention: how the scores of attention grow with the text, and what is kept of them.
#include <memory>

#include "apps/kelda/calc/calculator.h"
#include "apps/kelda/calc/measuring.h"
#include "apps/kelda/calc/subject.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/terminal/style.h"
#include "calc/exact.h"
#include "calc/passes.h"
#include "measure/steps.h"

namespace kelda::cli {
namespace {

struct Arguments {
  SubjectArguments subject;
  std::string lengths = "1000,2000,4000,8000";
};

constexpr char kWhat[] = "the attention scores";

// What a program would hold that writes all scores of a layer down, as floats.
uint64_t written_down(const Subject& s, int64_t n) {
  return calc::times(kWhat, calc::score_matrix(n), calc::product(kWhat, {4, s.config.n_heads}));
}

void tell_length(const Subject& s, int64_t n, Report& report) {
  const std::string at = fmt::format("/lengths/{}", n);
  report.heading(grouped(static_cast<uint64_t>(n)) + " tokens");
  report.result(at + "/scores", "scores of a head, n × n", count_of(calc::score_matrix(n)));
  report.result(at + "/causal_scores", "    that a causal model needs, n (n + 1) / 2",
                count_of(calc::causal_scores(n)));
  if (s.config.n_heads == 0) return;
  report.result(at + "/layer_bytes", "a layer's, if they were written down as f32",
                bytes_of(written_down(s, n)));
  if (s.config.n_layers == 0) return;
  report.result(at + "/all_scores", "of all heads and layers",
                count_of(calc::times(kWhat, calc::score_matrix(n),
                                     calc::product(kWhat, {s.config.n_heads, s.config.n_layers}))));
}

struct Timed {
  double seconds = 0;
  uint64_t scratch_bytes = 0;
};

void tell_timed(int64_t n, const Timed& now, int64_t n_before, const Timed* before, Report& report) {
  const std::string at = fmt::format("/lengths/{}", n);
  report.measured(at + "/prefill_ms", "prefill", ms_of(now.seconds));
  if (before != nullptr) {
    report.measured(at + "/times_as_long",
                    fmt::format("    times as long as {} tokens", grouped(static_cast<uint64_t>(n_before))),
                    number_of(now.seconds / before->seconds));
  }
  report.measured(at + "/scratch_bytes", "    scratch of the pass, at its peak", bytes_of(now.scratch_bytes));
}

int run(const Arguments& a) {
  const Subject s = subject_of(a.subject, /*decoder=*/false);
  const auto lengths = parse_lengths(a.lengths, "--lengths", int64_t{1} << 40);
  Report report("attention", {"scores of a head = tokens × tokens: twice the text, four times the scores"});
  tell_sizes(s, report);
  std::optional<Session> session;
  if (a.subject.measure) {
    for (const int64_t n : lengths) require_within(s.config.n_ctx_train, n, "--lengths");
    session.emplace(measuring_arguments(a.subject));
  }
  std::vector<Timed> timed;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    tell_length(s, lengths[i], report);
    if (!session) continue;
    TokenProgress progress(fmt::format("read {} tokens", lengths[i]));
    const double seconds = measure::seconds_to_read(session->runner(), lengths[i], progress.told());
    timed.push_back({seconds, session->runner().scratch_bytes()});
    tell_timed(lengths[i], timed[i], i > 0 ? lengths[i - 1] : 0, i > 0 ? &timed[i - 1] : nullptr, report);
  }
  report.note(
      "the engine never writes the scores down: it holds those of a tile of rows and 64 keys at a time, so "
      "that the time grows with n × n and the memory does not");
  report.print(a.subject.json);
  return 0;
}

std::function<int()> setup(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  add_subject(app, a->subject,
              {ShapeOption::kLayers, ShapeOption::kWidth, ShapeOption::kHeads, ShapeOption::kKvHeads,
               ShapeOption::kHeadDim});
  a->subject.stands_alone = true;
  app.add_option("--lengths", a->lengths, "Tokens of the text, separated by commas")->capture_default_str();
  add_measuring(app, a->subject, "Read texts of --lengths tokens on this machine");
  return [a] { return run(*a); };
}

}  // namespace

const Calculator& attention_calculator() {
  static const Calculator c{"attention", "How attention's scores, time and memory grow with the text", setup};
  return c;
}

}  // namespace kelda::cli
