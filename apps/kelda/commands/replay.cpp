// kelda replay: runs answers again from their traces, and says whether they are the same.
#include "engine/replay.h"

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/kelda/command.h"
#include "apps/kelda/generation.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/session.h"
#include "apps/kelda/terminal/style.h"
#include "apps/kelda/trace_file.h"
#include "base/error.h"
#include "base/file.h"
#include "base/naming.h"
#include "base/quote.h"

namespace kelda::cli::replay {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string model;
  int threads = 0;
  bool json = false, quiet = false;
};

struct Named {
  std::string file;
  Trace trace;
};

// Everything that the model is loaded with.
ModelArguments model_arguments(const Arguments& a, const Trace& trace) {
  ModelArguments m;
  m.model = a.model.empty() ? trace.model.name : a.model;
  m.threads = a.threads;
  m.compute = trace.compute == Compute::kReference ? "reference" : "auto";
  m.window = trace.window;
  m.quiet = a.quiet;
  m.rope = trace.rope;
  return m;
}

bool same(const ModelArguments& a, const ModelArguments& b) {
  return a.model == b.model && a.compute == b.compute && a.window == b.window &&
         a.rope.scaling == b.rope.scaling && a.rope.factor == b.rope.factor && a.rope.base == b.rope.base &&
         a.rope.original == b.rope.original;
}

// Traces that were made alike share a loaded model.
class Models {
 public:
  // The model that `wanted` names, looked at but not loaded.
  const Trace::Model& identity(const ModelArguments& wanted) {
    if (!identity_ || identity_->name != wanted.model)
      identity_ = identify(wanted.model, hub::resolve(wanted.model).path);
    return *identity_;
  }
  Runner& runner(const ModelArguments& wanted) {
    if (session_ == nullptr || !same(loaded_, wanted)) {
      session_.reset();  // two models may be too many for the memory
      session_ = std::make_unique<Session>(wanted);
      loaded_ = wanted;
    }
    return session_->runner();
  }

 private:
  std::optional<Trace::Model> identity_;
  ModelArguments loaded_;
  std::unique_ptr<Session> session_;
};

Replay replay_one(const Arguments& a, const Trace& trace, Models& models) {
  const ModelArguments wanted = model_arguments(a, trace);
  if (auto other = other_model(trace.model, models.identity(wanted)))
    return {Replay::Difference::kModel, 0, std::move(*other)};
  return kelda::replay(trace, models.runner(wanted));
}

std::string line(const Named& named, const Replay& result) {
  const std::string file = escape_controls(named.file);
  if (result.difference == Replay::Difference::kNone) {
    return fmt::format("{}: equal: {}\n", file,
                       counted(static_cast<int64_t>(named.trace.steps.size()), "step"));
  }
  if (result.difference == Replay::Difference::kModel)
    return fmt::format("{}: differs: another model: {}\n", file, result.why);
  return fmt::format("{}: differs at step {}, in the {}: {}\n", file, result.n_equal, name(result.difference),
                     result.why);
}

std::string json_line(const Named& named, const Replay& result) {
  const bool equal = result.difference == Replay::Difference::kNone;
  const nlohmann::json out = {
      {"file", named.file},
      {"equal", equal},
      {"steps", named.trace.steps.size()},
      {"equal_steps", result.n_equal},
      {"difference", equal ? nlohmann::json() : nlohmann::json(name(result.difference))},
      {"why", equal ? nlohmann::json() : nlohmann::json(result.why)}};
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int run(const Arguments& a) {
  std::vector<Named> traces;  // all are read before anything is run
  for (const std::string& file : a.files) {
    const std::string text = read_text(file, kMaxTraceBytes);
    traces.push_back({file, naming(file, [&] { return parse_trace(text); })});
  }
  Models models;
  bool all_equal = true;
  for (const Named& named : traces) {
    const Replay result = naming(named.file, [&] { return replay_one(a, named.trace, models); });
    all_equal = all_equal && result.difference == Replay::Difference::kNone;
    write_out(a.json ? json_line(named, result) : line(named, result));
  }
  return all_equal ? 0 : 1;
}

}  // namespace

const Command& command() {
  static const Command c{
      "replay", "Run answers again from their traces and compare", [](CLI::App& app) -> std::function<int()> {
        auto a = std::make_shared<Arguments>();
        app.add_option("files", a->files, "Traces, as --trace of kelda run and kelda explain writes them")
            ->required()
            ->type_name("FILE");
        auto* model = app.add_option(
            "--model", a->model, "The model, where it is not found under the name that the trace gives it");
        name_models(*model);
        refuse_empty(*model);
        allow_integers(*app.add_option("--threads,-t", a->threads,
                                       "Threads; 0 uses the processors that this process may use"),
                       0, 1024);
        app.add_flag("--json", a->json, "Print a line of JSON for each trace");
        app.add_flag("--quiet,-q", a->quiet, "No progress");
        app.footer(
            "Exit status 0: all are equal; 1: one is not; 2: a file is no trace, or its model is not there.");
        return [a] { return run(*a); };
      }};
  return c;
}

}  // namespace kelda::cli::replay
