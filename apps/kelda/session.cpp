#include "apps/kelda/session.h"

#include <charconv>
#include <chrono>

#include "apps/kelda/option_values.h"
#include "apps/kelda/terminal/progress_bar.h"
#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/style.h"
#include "base/cpu.h"
#include "base/error.h"

namespace kelda::cli {

void add_model_name(CLI::App& app, std::string& model) {
  auto* option = app.add_option("model", model, "Path, catalogue name or hub:org/repo/file")->required();
  name_models(*option);
}

void add_model_arguments(CLI::App& app, ModelArguments& a) {
  add_model_name(app, a.model);
  allow_integers(
      *app.add_option("--threads,-t", a.threads, "Threads; 0 uses the processors that this process may use"),
      0, 1024);
  allow_words(*app.add_option("--compute", a.compute,
                              "auto, or reference (float32 throughout: slow, what auto is measured against)"),
              {"auto", "reference"});
  allow_integers(*app.add_option("--window", a.window,
                                 "Tokens that prompt and answer share; 0 uses the model's trained window"),
                 0, int64_t{1} << 30);
  app.add_flag("--quiet,-q", a.quiet, "No progress, no timings");
}

Session::Session(const ModelArguments& a) : resolved_(hub::resolve(a.model)) {
  pool_ = std::make_unique<ThreadPool>(a.threads > 0 ? a.threads : usable_processors());
  const bool reference = a.compute == "reference";
  const auto start = std::chrono::steady_clock::now();
  Model::Options options;
  options.compute = reference ? Compute::kReference : Compute::kAuto;
  ProgressBar bar(is_terminal(Stream::kErr) ? ProgressBar::mode(a.quiet) : ProgressBar::Mode::kQuiet);
  options.progress = [&](uint64_t done, uint64_t total) { bar.update("load", done, 0, total); };
  auto model = Model::load(resolved_.path, options, *pool_);
  bar.clear();
  Runner::Options runner_options;
  runner_options.kv_type = reference ? KvType::kF32 : KvType::kF16;
  runner_options.window = a.window;
  runner_ = std::make_unique<Runner>(std::move(model), runner_options, *pool_);
  load_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const std::string_view format : runner_->model().weights().formats()) {
    const auto* spec = quant::find_format(format);
    if (!a.quiet && !runner_->kernels().is_native(*spec)) {
      say("note: {} weights run on the scalar path: {} has no kernel for them\n", format,
          runner_->kernels().name);
    }
  }
}

int64_t parse_integer(std::string_view text, std::string_view what) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    fail(ErrorCode::kUsage, "{}: '{}' is not a whole number", what, text);
  }
  return value;
}

}  // namespace kelda::cli
