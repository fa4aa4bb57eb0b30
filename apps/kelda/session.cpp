#include "apps/kelda/session.h"

#include <chrono>

#include "apps/kelda/option_values.h"
#include "apps/kelda/terminal/progress_bar.h"
#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/style.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/parse_number.h"

namespace kelda::cli {
namespace {

void add_rope_options(CLI::App& app, models::RopeOverride& rope) {
  constexpr char kGroup[] = "Rotary positions, otherwise than the model's file says";
  auto* scaling = app.add_option("--rope-scaling", rope.scaling,
                                 "How wavelengths are stretched for texts beyond the original context");
  allow_words(*scaling, {"none", "linear", "yarn"});
  auto* factor = app.add_option("--rope-factor", rope.factor, "How many times the original context");
  allow_numbers(*factor, 1, 65536);
  auto* original = app.add_option("--rope-original", rope.original,
                                  "The original context in tokens, where the file does not tell");
  allow_integers(*original, 1, int64_t{1} << 30);
  auto* base = app.add_option("--rope-base", rope.base, "The base of the wavelengths");
  allow_numbers(*base, 1e-3, 1e12);
  for (CLI::Option* option : {scaling, factor, original, base}) option->group(kGroup);
}

}  // namespace

void add_model_name(CLI::App& app, std::string& model) {
  auto* option = app.add_option("model", model, "Path, catalogue name or hub:org/repo/file")->required();
  name_models(*option);
}

void add_model_arguments(CLI::App& app, ModelArguments& a, std::string_view window) {
  add_model_name(app, a.model);
  allow_integers(
      *app.add_option("--threads,-t", a.threads, "Threads; 0 uses the processors that this process may use"),
      0, 1024);
  allow_words(*app.add_option("--compute", a.compute,
                              "auto, or reference (float32 throughout: slow, what auto is measured against)"),
              {"auto", "reference"});
  allow_integers(
      *app.add_option("--window", a.window, std::string(window) + "; 0 uses the model's trained window"), 0,
      int64_t{1} << 30);
  app.add_flag("--quiet,-q", a.quiet, "No progress, no timings");
  add_rope_options(app, a.rope);
}

std::unique_ptr<ThreadPool> make_pool(const ModelArguments& a) {
  return std::make_unique<ThreadPool>(a.threads > 0 ? a.threads : usable_processors());
}

std::shared_ptr<const Model> load_model(const ModelArguments& a, const std::filesystem::path& path,
                                        models::Role role, ThreadPool& pool) {
  Model::Options options;
  options.compute = a.compute == "reference" ? Compute::kReference : Compute::kAuto;
  options.role = role;
  options.rope = a.rope;
  options.window = a.window;
  ProgressBar bar(has_cursor(Stream::kErr) ? ProgressBar::mode(a.quiet) : ProgressBar::Mode::kQuiet);
  options.progress = [&](uint64_t done, uint64_t total) { bar.update("load", done, 0, total); };
  auto model = Model::load(path, options, pool);
  bar.clear();
  return model;
}

void say_slow_formats(const ModelArguments& a, const Model& model, const kernels::KernelTable& kernels) {
  for (const std::string_view format : model.weights().formats()) {
    const auto* spec = quant::find_format(format);
    if (!a.quiet && !kernels.is_native(*spec)) {
      say("note: {} weights run on the scalar path: {} has no kernel for them\n", format, kernels.name);
    }
  }
}

Session::Session(const ModelArguments& a) : resolved_(hub::resolve(a.model)), pool_(make_pool(a)) {
  const auto start = std::chrono::steady_clock::now();
  auto model = load_model(a, resolved_.path, models::Role::kDecoder, *pool_);
  Runner::Options runner_options;
  runner_options.kv_type = a.compute == "reference" ? KvType::kF32 : KvType::kF16;
  runner_options.window = a.window;
  runner_ = std::make_unique<Runner>(std::move(model), runner_options, *pool_);
  load_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  say_slow_formats(a, runner_->model(), runner_->kernels());
}

int64_t parse_integer(std::string_view text, std::string_view what) {
  const auto value = parse_number<int64_t>(text);
  if (!value) fail(ErrorCode::kUsage, "{}: '{}' is not a whole number", what, text);
  return *value;
}

}  // namespace kelda::cli
