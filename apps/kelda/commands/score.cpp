// kelda score: how likely continuations are after their contexts.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "apps/kelda/command.h"
#include "apps/kelda/generation.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/output_file.h"
#include "apps/kelda/score_lines.h"
#include "apps/kelda/session.h"
#include "apps/kelda/terminal/progress_bar.h"
#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/standard_input.h"
#include "apps/kelda/terminal/style.h"
#include "apps/kelda/token_json.h"
#include "base/error.h"
#include "base/naming.h"
#include "engine/scorer.h"

namespace kelda::cli::score {
namespace {

constexpr uint64_t kMaxFileBytes = 1 << 30;

struct Arguments {
  ModelArguments model;
  std::string file, out;
  bool special = false;
};

// Lines on their way out: to stdout as they come, or to a file that is there when all is done.
class Output {
 public:
  explicit Output(const std::string& path) {
    if (!path.empty()) file_.emplace(path);
  }
  void write(const std::string& line) {
    if (file_) {
      file_->write(line);
    } else {
      write_out(line);
    }
  }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  std::optional<AtomicFile> file_;
};

nlohmann::json score_json(const ScoreLine::Continuation& c, const Scorer::Score& score) {
  nlohmann::json logprobs = nlohmann::json::array();
  double sum = 0;
  for (const double logprob : score.logprobs) {
    logprobs.push_back(finite_logprob(logprob));
    sum += finite_logprob(logprob);
  }
  return {{"sum_logprob", sum},     {"tokens", c.ids.size()}, {"bytes", c.bytes},
          {"greedy", score.greedy}, {"ids", c.ids},           {"logprobs", std::move(logprobs)}};
}

// Index of the entry with the largest value; of equal ones the first.
template <typename Value>
std::size_t best_of(const nlohmann::json& scores, Value value) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < scores.size(); ++i) {
    if (value(scores[i]) > value(scores[best])) best = i;
  }
  return best;
}

std::string line_text(const ScoreLine& line, nlohmann::json scores) {
  const auto sum = [](const nlohmann::json& s) { return s["sum_logprob"].get<double>(); };
  const auto per_byte =
      [&](const nlohmann::json& s) {  // a continuation of no bytes has ids that show nothing
        return sum(s) / std::max(1.0, s["bytes"].get<double>());
      };
  nlohmann::json out = {{"line", line.number},
                        {"id", line.id},
                        {"context_tokens", line.continuations.front().context.size()},
                        {"best", best_of(scores, sum)},
                        {"best_per_byte", best_of(scores, per_byte)}};
  out["scores"] = std::move(scores);
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void say_unclean(const std::vector<ScoreLine>& lines) {
  std::size_t n = 0, first = 0;
  for (const ScoreLine& line : lines) {
    for (const ScoreLine::Continuation& c : line.continuations) {
      if (c.clean) continue;
      if (n++ == 0) first = line.number;
    }
  }
  if (n == 0) return;
  say("note: {} (the first in line {}) would have other tokens were context and continuation read as one "
      "text: a token reaches over the border\n",
      counted(static_cast<int64_t>(n), "pair"), first);
}

void score(Scorer& scorer, const std::vector<ScoreLine>& lines, bool quiet, Output& output) {
  std::vector<Scorer::Pair> pairs;
  for (const ScoreLine& line : lines) {
    for (const ScoreLine::Continuation& c : line.continuations) pairs.push_back({c.context, c.ids});
  }
  ProgressBar bar(ProgressBar::mode(quiet), "lines");
  std::size_t at = 0;
  nlohmann::json scores = nlohmann::json::array();
  bar.update("score", 0, 0, lines.size());
  scorer.score(pairs, [&](std::size_t, const Scorer::Score& s) {
    const ScoreLine& line = lines[at];
    scores.push_back(score_json(line.continuations[scores.size()], s));
    if (scores.size() < line.continuations.size()) return;
    bar.clear();
    output.write(line_text(line, std::exchange(scores, nlohmann::json::array())));
    bar.update("score", ++at, 0, lines.size());
  });
}

int run(const Arguments& a) {
  const auto path = hub::resolve(a.model.model).path;
  refuse_to_overwrite("--out", a.out, path, {a.file});
  const std::string text = a.file == "-" ? read_stdin(kMaxFileBytes) : read_text(a.file, kMaxFileBytes);
  const auto pool = make_pool(a.model);
  auto model = load_model(a.model, path, models::Role::kDecoder, *pool);
  const bool reference = a.model.compute == "reference";
  const int64_t window = checked_window(a.model.window, model->config().n_ctx_train);
  // Before anything is run: a fault in the last line is told now, not in an hour.
  const auto special = a.special ? text::Special::kParse : text::Special::kText;
  const auto lines = naming(a.file == "-" ? "stdin" : a.file,
                            [&] { return read_score_lines(text, *model, special, window); });
  Output output(a.out);
  Runner runner(std::move(model),
                {reference ? KvType::kF32 : KvType::kF16, window, Scorer::cache_tokens(window)}, *pool);
  if (!a.model.quiet) {
    say_unclean(lines);
    say_slow_formats(a.model, runner.model(), runner.kernels());
  }
  Scorer scorer(runner, {});
  score(scorer, lines, a.model.quiet, output);
  output.commit();
  return 0;
}

}  // namespace

const Command& command() {
  static const Command c{
      "score", "Tell how likely texts are after other texts", [](CLI::App& app) -> std::function<int()> {
        auto a = std::make_shared<Arguments>();
        add_model_arguments(app, a->model, "Tokens that a context and its continuation share");
        refuse_empty(*app.add_option("file", a->file,
                                     "Lines of JSON with a context and its continuations; '-' reads stdin")
                          ->required());
        refuse_empty(
            *app.add_option("--out", a->out, "Write to this file, whole or not at all")->type_name("FILE"));
        app.add_flag("--special", a->special, "Special tokens written in a text count as such");
        return [a] { return run(*a); };
      }};
  return c;
}

}  // namespace kelda::cli::score
