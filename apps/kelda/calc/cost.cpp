// kelda calc cost: token passes of decoding, with the KV cache and without.
#include <memory>

#include "apps/kelda/calc/calculator.h"
#include "apps/kelda/calc/measuring.h"
#include "apps/kelda/calc/subject.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/terminal/style.h"
#include "base/error.h"
#include "calc/exact.h"
#include "calc/passes.h"
#include "measure/decoding.h"

namespace kelda::cli {
namespace {

struct Arguments {
  SubjectArguments subject;
  int64_t prompt = 1, tokens = 1000;
  std::string lengths = "64,256";
};

void tell_passes(const Arguments& a, const Subject& s, Report& report) {
  const calc::Passes naive = calc::naive_passes(a.prompt, a.tokens);
  const calc::Passes cached = calc::cached_passes(a.prompt, a.tokens);
  report.result("/naive/token_passes", "without a cache: token passes", count_of(naive.token_passes));
  report.result("/cached/token_passes", "with it: token passes", count_of(cached.token_passes));
  report.result("/passes", "passes of the network, either way", count_of(cached.passes));
  report.result("/cached/decode_steps", "    with the cache: one prefill, and decode steps",
                count_of(cached.passes - 1));
  report.result(
      "/ratio", "times as many token passes",
      number_of(static_cast<double>(naive.token_passes) / static_cast<double>(cached.token_passes)));
  if (s.n_parameters == 0) return;
  const auto macs = [&](const calc::Passes& p) {
    return count_of(calc::times("the multiply-adds", p.token_passes, static_cast<uint64_t>(s.n_parameters)));
  };
  report.heading("Multiply-adds with weights, about one per parameter and token pass");
  report.result("/naive/multiply_adds", "without a cache", macs(naive));
  report.result("/cached/multiply_adds", "with it", macs(cached));
}

// Both ways really run; that they write the same tokens is the point.
void measure_length(const Arguments& a, Runner& runner, int64_t n, Report& report) {
  const auto prompt = measure::some_tokens(a.prompt, runner.model().config().vocab_size, 1);
  const auto run = [&](const char* what, auto decode) {
    TokenProgress progress(fmt::format("{} tokens {}", n, what));
    return decode(runner, prompt, n, progress.told());
  };
  const measure::Decoding naive = run("without a cache", measure::decode_naive);
  const measure::Decoding cached = run("with it", measure::decode_cached);
  if (naive.tokens != cached.tokens) {
    fail(ErrorCode::kInternal, "{} tokens: decoding with the cache wrote other tokens than without it", n);
  }
  const std::string at = fmt::format("/lengths/{}", n);
  const auto tell = [&](const std::string& key, const char* label, const measure::Decoding& d,
                        const calc::Passes& p) {
    report.result(at + key + "/token_passes", fmt::format("{}: token passes", label),
                  count_of(p.token_passes), count_of(static_cast<uint64_t>(d.n_token_passes)));
    report.result(at + key + "/passes", "    passes", count_of(p.passes),
                  count_of(static_cast<uint64_t>(d.n_passes)));
    report.measured(at + key + "/ms", "    time", ms_of(d.seconds));
  };
  report.heading(fmt::format("{} tokens, run both ways", grouped(static_cast<uint64_t>(n))));
  tell("/naive", "without a cache", naive, calc::naive_passes(a.prompt, n));
  tell("/cached", "with it", cached, calc::cached_passes(a.prompt, n));
  report.measured(at + "/times_as_long", "times as long without", number_of(naive.seconds / cached.seconds));
  report.measured(at + "/same_tokens", "the same tokens", {true, "yes"});
}

int run(const Arguments& a) {
  const Subject s = subject_of(a.subject, /*decoder=*/true);
  Report report("cost", {"token passes without a cache = Σ (prompt + i), i = 0 … tokens − 1",
                         "token passes with it = prompt + tokens − 1"});
  tell_sizes(s, report);
  report.given("/prompt", "tokens of the prompt", count_of(static_cast<uint64_t>(a.prompt)));
  report.given("/tokens", "tokens of the answer", count_of(static_cast<uint64_t>(a.tokens)));
  tell_passes(a, s, report);
  if (a.subject.measure) {
    const auto lengths = parse_lengths(a.lengths, "--lengths", 100'000);
    for (const int64_t n : lengths) require_within(s.config.n_ctx_train, a.prompt + n, "--lengths");
    Session session(measuring_arguments(a.subject));
    for (const int64_t n : lengths) measure_length(a, session.runner(), n, report);
  }
  report.print(a.subject.json);
  return 0;
}

std::function<int()> setup(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  add_subject(app, a->subject, {ShapeOption::kParameters});
  a->subject.stands_alone = true;
  allow_integers(*app.add_option("--prompt", a->prompt, "Tokens of the prompt")->capture_default_str(), 1,
                 int64_t{1} << 40);
  allow_integers(*app.add_option("--tokens", a->tokens, "Tokens of the answer")->capture_default_str(), 1,
                 int64_t{1} << 40);
  add_measuring(app, a->subject, "Run both ways on this machine, at --lengths tokens");
  app.add_option("--lengths", a->lengths, "Tokens to run, separated by commas; 1000 takes its time")
      ->capture_default_str();
  return [a] { return run(*a); };
}

}  // namespace

const Calculator& cost_calculator() {
  static const Calculator c{"cost", "Token passes of decoding with a KV cache and without", setup};
  return c;
}

}  // namespace kelda::cli
