// What commands that run a model have in common: the options that name it, and the loaded thing.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/thread_pool.h"
#include "engine/runner.h"
#include "hub/resolve.h"

namespace kelda::cli {

struct ModelArguments {
  std::string model;             // a path, a catalogue name or hub:org/repo/file
  int threads = 0;               // 0 = the processors this process may use
  std::string compute = "auto";  // or "reference"
  int64_t window = 0;            // 0 = the model's
  bool quiet = false;
  models::RopeOverride rope = {};
};

// MODEL alone.
void add_model_name(CLI::App& app, std::string& model);

// MODEL, --threads, --compute, --window, --rope-…, --quiet. window: what --window counts, for the help.
void add_model_arguments(CLI::App& app, ModelArguments& arguments,
                         std::string_view window = "Tokens that prompt and answer share");

// The pool that the arguments ask for.
std::unique_ptr<ThreadPool> make_pool(const ModelArguments& arguments);

// Loads a model for that role, with a progress bar on stderr.
std::shared_ptr<const Model> load_model(const ModelArguments& arguments, const std::filesystem::path& path,
                                        models::Role role, ThreadPool& pool);
// Says on stderr which of the weights have no fast path.
void say_slow_formats(const ModelArguments& arguments, const Model& model,
                      const kernels::KernelTable& kernels);

// Loads with a progress bar on stderr, and says there what a user should know: formats without a fast path,
// for one.
class Session {
 public:
  explicit Session(const ModelArguments& arguments);
  const Model& model() const { return runner_->model(); }
  Runner& runner() { return *runner_; }
  const hub::Resolved& resolved() const { return resolved_; }
  double load_seconds() const { return load_seconds_; }

 private:
  hub::Resolved resolved_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Runner> runner_;
  double load_seconds_ = 0;
};

// A whole decimal integer in int64; kUsage naming `what` otherwise.
int64_t parse_integer(std::string_view text, std::string_view what);

}  // namespace kelda::cli
