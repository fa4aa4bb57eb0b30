// kelda calc roofline: what a decoding step must read and multiply, and how long that takes at least.
#include "calc/roofline.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "apps/kelda/calc/calculator.h"
#include "apps/kelda/calc/measuring.h"
#include "apps/kelda/calc/subject.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/terminal/style.h"
#include "base/error.h"
#include "calc/kv.h"
#include "calc/step_work.h"
#include "measure/machine.h"
#include "measure/steps.h"

namespace kelda::cli {
namespace {

struct Arguments {
  SubjectArguments subject;
  std::optional<double> bandwidth, peak;
  int64_t tokens = 0;  // 0: the KV cache is left out of a stated shape without layers; else 4,096
  int64_t sequences = 1;
  std::string depths = "128,4096";
  int rounds = 8;
};

constexpr int kStepsPerRound = 4;
static_assert(kStepsPerRound <= measure::kMostSteps);
constexpr int64_t kRegionsPerLayer = 5;  // Q, K and V; attention; its output; gate and up; down
constexpr int kRoundsAlone = 4;          // where no model takes its turns between them

// What a step does and at which speeds: of a model by the machine's kernels, of a shape as stated.
struct Step {
  std::vector<calc::Part> parts;  // the cache's last, where there is one
  double bytes_per_s = 0;
};

std::vector<calc::Part> stated_parts(const Arguments& a, const Subject& s) {
  if (s.n_parameters == 0)
    fail(ErrorCode::kUsage, "--params is needed, or --layers, --width, --ffn and --vocab to count them");
  const auto n = static_cast<double>(s.n_parameters);
  const double per_s = a.peak.value_or(0) * 1e9;
  std::vector<calc::Part> parts;
  parts.push_back({.name = "weights",
                   .shared_bytes = static_cast<double>(
                       calc::stored_bytes("the bytes of the weights", s.weight_storage, s.n_parameters)),
                   .sequence_macs = n,
                   .macs_per_s = per_s});
  if (s.config.n_layers > 0) {
    require_kv_shape(s);
    calc::Part kv = calc::kv_part(s.kv_shape(), s.config.n_heads, a.tokens);
    kv.sequence_bytes = static_cast<double>(calc::kv_need(s.kv_shape(), s.kv_storage, a.tokens, 1).sequence);
    kv.macs_per_s = per_s;
    parts.push_back(kv);
  }
  return parts;
}

std::vector<calc::Part> model_parts(const Subject& s, int64_t depth, const measure::Machine& machine) {
  const calc::StepWork work = calc::step_work(*s.file, s.head.tensors, s.config);
  std::vector<calc::Part> parts = calc::parts_of(work);
  for (std::size_t i = 0; i < work.matrices.size(); ++i)
    parts[i].macs_per_s = machine.macs_per_s(*work.matrices[i].format);
  parts.push_back({.name = "handing work to the threads",
                   .fixed_seconds = static_cast<double>(kRegionsPerLayer * s.config.n_layers + 1) *
                                    machine.region_seconds()});
  parts.push_back(calc::kv_part(s.kv_shape(), s.config.n_heads, depth));
  parts.back().macs_per_s = machine.attention_macs_per_s();
  return parts;
}

measure::Needs needs_of(const Subject& s) {
  measure::Needs needs;
  if (!s.is_model()) return needs;
  for (const calc::MatrixWork& m : calc::step_work(*s.file, s.head.tensors, s.config).matrices)
    needs.formats.push_back(m.format);
  needs.n_heads = s.config.n_heads;
  needs.n_kv_heads = s.config.n_kv_heads;
  needs.head_dim = s.config.head_dim;
  return needs;
}

Amount gb_s(double bytes_per_s) { return {bytes_per_s / 1e9, fmt::format("{:.4g} GB/s", bytes_per_s / 1e9)}; }
Amount gmac_s(double macs) {
  return {macs / 1e9, fmt::format("{:.4g} thousand million multiply-adds/s", macs / 1e9)};
}

void tell_parts(const Step& step, int64_t batch, const std::string& at, Report& report) {
  for (const calc::Part& p : step.parts) {
    const std::string key = fmt::format("{}/parts/{}", at, p.name);
    report.result(key + "/ms", p.name, ms_of(calc::part_seconds(p, step.bytes_per_s, batch)));
    if (p.bytes(batch) > 0)
      report.result(key + "/bytes", "    reads", bytes_of(static_cast<uint64_t>(p.bytes(batch))));
    if (p.macs_per_s > 0) {
      report.result(key + "/multiply_ms", "    multiplies alone", ms_of(p.macs(batch) / p.macs_per_s));
    }
  }
}

// One sequence against the batch, and where the two stop being worth it.
void tell_batch(const Arguments& a, const Step& step, Report& report) {
  const double one = calc::step_seconds(step.parts, step.bytes_per_s, 1);
  report.result("/ms_per_token", "a step of one sequence", ms_of(one));
  report.result("/tokens_per_s", "    tokens per second", number_of(1 / one));
  const calc::Bends bends = calc::bends(step.parts, step.bytes_per_s);
  if (bends.by_caches > 0)
    report.result("/bends/by_caches", "caches outweigh the weights from a batch of",
                  number_of(bends.by_caches));
  if (bends.by_arithmetic > 0)
    report.result("/bends/by_arithmetic", "multiplying outlasts reading from a batch of",
                  number_of(bends.by_arithmetic));
  if (a.sequences == 1) return;
  const double all = calc::step_seconds(step.parts, step.bytes_per_s, a.sequences);
  const auto n = static_cast<double>(a.sequences);
  report.result("/batch/ms", fmt::format("a step of {} sequences", a.sequences), ms_of(all));
  report.result("/batch/tokens_per_s", "    tokens per second, all together", number_of(n / all));
  report.result("/batch/times_one", "    times the throughput of one", number_of(n * one / all));
  if (n * one / all < 0.9 * n) {
    report.note(
        fmt::format("a batch of {} has {:.1f} times the throughput of one sequence, not {}: the weights are "
                    "read once for all, "
                    "but each sequence's cache is read too ({:.4g} ms for one, {:.4g} ms for {})",
                    a.sequences, n * one / all, a.sequences, one * 1e3, all * 1e3, a.sequences));
  }
}

struct Timed {
  int64_t depth;
  std::vector<double> seconds;
};

// The machine's speeds and the model's steps in turns, so that what disturbs one disturbs the other.
std::vector<Timed> measure_steps(const Arguments& a, const std::vector<int64_t>& depths, Runner& runner,
                                 measure::Machine& machine) {
  std::vector<Timed> all;
  for (const int64_t depth : depths) {
    TokenProgress progress(fmt::format("read {} tokens", depth));
    measure::StepsAtDepth steps(runner, depth, progress.told());
    all.push_back({depth, {}});
    for (int round = 0; round < a.rounds; ++round) {
      machine.round();
      const auto seconds = steps.pass(kStepsPerRound);
      all.back().seconds.insert(all.back().seconds.end(), seconds.begin(), seconds.end());
    }
  }
  return all;
}

void tell_measured(const Subject& s, const measure::Machine& machine, const std::vector<Timed>& all,
                   Report& report) {
  for (const Timed& timed : all) {
    const Step step = {model_parts(s, timed.depth, machine), machine.bytes_per_s()};
    const double predicted = calc::step_seconds(step.parts, step.bytes_per_s, 1);
    const double best = *std::min_element(timed.seconds.begin(), timed.seconds.end());
    const std::string at = fmt::format("/depths/{}", timed.depth);
    report.heading(fmt::format("A step at depth {}", grouped(static_cast<uint64_t>(timed.depth))));
    report.result(at + "/ms", "in all; measured: the quickest", ms_of(predicted), ms_of(best));
    report.measured(at + "/median_ms", "    the median", ms_of(measure::median(timed.seconds)));
    report.measured(at + "/off_percent", "    longer than computed by, in %",
                    number_of(100 * (best / predicted - 1)));
    tell_parts(step, 1, at, report);
  }
}

std::vector<int64_t> checked_depths(const Arguments& a, int64_t window) {
  const auto depths = parse_lengths(a.depths, "--depths", 1'000'000'000);
  const int64_t most = window - measure::kStepRoom;
  for (const int64_t depth : depths) {
    if (depth < 2 || depth > most)
      fail(ErrorCode::kUsage, "--depths: must be in [2, {}] in the model's window of {}; got {}", most,
           window, depth);
  }
  return depths;
}

void tell_machine(const measure::Machine& machine, const Arguments& a, Report& report) {
  if (a.bandwidth) {
    report.given("/bandwidth_gb_s", "bandwidth, stated", gb_s(*a.bandwidth * 1e9));
  } else {
    report.given("/bandwidth_gb_s", "bandwidth of this machine, measured", gb_s(machine.bytes_per_s()));
    report.given("/int8_peak", "int8 peak of its kernels, measured", gmac_s(machine.int8_peak()));
  }
  if (a.peak) report.given("/peak", "peak, stated", gmac_s(*a.peak * 1e9));
}

void check(const Arguments& a) {
  if (a.bandwidth && a.subject.measure)
    fail(ErrorCode::kUsage, "--bandwidth states what --measure measures: give one of the two");
  if (a.peak && !a.subject.model.empty())
    fail(ErrorCode::kUsage, "--peak goes with a stated shape: of a model the kernels are measured");
}

std::string formula() {
  return "a step = Σ over parts of max(bytes ÷ bandwidth, multiply-adds ÷ their rate)";
}

void report_stated(Arguments a, const Subject& s) {
  if (a.tokens == 0) a.tokens = 4096;
  Report report("roofline", {formula()});
  Step step = {stated_parts(a, s), a.bandwidth.value_or(0) * 1e9};
  tell_sizes(s, report);
  if (s.config.n_layers > 0)
    report.given("/tokens", "tokens in each cache", count_of(static_cast<uint64_t>(a.tokens)));
  report.given("/sequences", "sequences", count_of(static_cast<uint64_t>(a.sequences)));
  if (a.bandwidth) {
    report.given("/bandwidth_gb_s", "bandwidth, stated", gb_s(step.bytes_per_s));
    if (a.peak) report.given("/peak", "peak, stated", gmac_s(*a.peak * 1e9));
  } else {
    const auto pool = make_pool({.model = "", .threads = a.subject.threads});
    measure::Machine machine({*pool, choose_kernels()}, {});
    for (int i = 0; i < kRoundsAlone; ++i) machine.round();
    tell_machine(machine, a, report);
    step.bytes_per_s = machine.bytes_per_s();
  }
  tell_batch(a, step, report);
  report.heading("Its parts");
  tell_parts(step, a.sequences, "", report);
  report.print(a.subject.json);
}

void report_model(Arguments a, const Subject& s) {
  if (a.tokens == 0) a.tokens = std::min<int64_t>(4096, s.config.n_ctx_train);
  const auto depths = a.subject.measure ? checked_depths(a, s.config.n_ctx_train) : std::vector<int64_t>();
  std::optional<Session> session;
  std::unique_ptr<ThreadPool> own_pool;
  if (a.subject.measure) {
    session.emplace(measuring_arguments(a.subject));
  } else {
    own_pool = make_pool({.model = "", .threads = a.subject.threads});
  }
  ThreadPool& pool = session ? session->runner().pool() : *own_pool;
  measure::Machine machine({pool, choose_kernels()}, needs_of(s));
  std::vector<Timed> timed;
  if (session) {
    timed = measure_steps(a, depths, session->runner(), machine);
  } else {
    for (int i = 0; i < kRoundsAlone; ++i) machine.round();
  }
  Report report("roofline", {formula()});
  const Step step = {model_parts(s, a.tokens, machine),
                     a.bandwidth ? *a.bandwidth * 1e9 : machine.bytes_per_s()};
  tell_sizes(s, report);
  report.given("/threads", "threads", count_of(static_cast<uint64_t>(pool.n_threads())));
  report.given("/tokens", "tokens in each cache", count_of(static_cast<uint64_t>(a.tokens)));
  report.given("/sequences", "sequences", count_of(static_cast<uint64_t>(a.sequences)));
  tell_machine(machine, a, report);
  tell_batch(a, step, report);
  if (!session) {
    report.heading("Its parts");
    tell_parts(step, a.sequences, "", report);
  }
  tell_measured(s, machine, timed, report);
  if (s.config.n_experts > 0)
    report.note(
        "each sequence is counted with experts of its own; those that two sequences share are read once");
  report.print(a.subject.json);
}

int run(const Arguments& a) {
  check(a);
  const Subject s = subject_of(a.subject, /*decoder=*/true);
  s.is_model() ? report_model(a, s) : report_stated(a, s);
  return 0;
}

std::function<int()> setup(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  add_subject(app, a->subject,
              {ShapeOption::kLayers, ShapeOption::kWidth, ShapeOption::kHeads, ShapeOption::kKvHeads,
               ShapeOption::kHeadDim, ShapeOption::kFfn, ShapeOption::kVocab, ShapeOption::kWindow,
               ShapeOption::kParameters, ShapeOption::kBytes, ShapeOption::kKvBytes},
              "a weight");
  allow_numbers(*app.add_option("--bandwidth", a->bandwidth,
                                "Memory bandwidth in GB/s; unless given, this machine's is measured"),
                0, 1e9);
  allow_numbers(*app.add_option("--peak", a->peak, "Thousand million multiply-adds per second"), 0, 1e9);
  allow_integers(*app.add_option("--tokens", a->tokens, "Tokens in each sequence's cache; 4096 unless given"),
                 1, int64_t{1} << 40);
  allow_integers(*app.add_option("--sequences", a->sequences, "Sequences at once")->capture_default_str(), 1,
                 1'000'000'000);
  add_measuring(app, a->subject, "Run the model on this machine, at --depths");
  app.add_option("--depths", a->depths, "Tokens before the steps that are timed, separated by commas")
      ->capture_default_str();
  allow_integers(
      *app.add_option("--rounds", a->rounds, "How often machine and model take turns")->capture_default_str(),
      1, 1000);
  return [a] { return run(*a); };
}

}  // namespace

const Calculator& roofline_calculator() {
  static const Calculator c{"roofline", "The least time of a step, by what it reads and multiplies", setup};
  return c;
}

}  // namespace kelda::cli
