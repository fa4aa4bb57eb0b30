#include "apps/kelda/trace_file.h"

#include <algorithm>

#include "apps/kelda/option_values.h"
#include "apps/kelda/output_file.h"
#include "engine/model_text.h"
#include "files/fingerprint.h"

namespace kelda::cli {

void add_trace_option(CLI::App& app, std::string& file) {
  refuse_empty(*app.add_option("--trace", file,
                               "Write what is needed to replay the answer (kelda replay) to this file, whole "
                               "or not at all; it holds the prompt")
                    ->type_name("FILE"));
}

void check_output(std::string_view flag, const std::string& file, const Asking& asking) {
  if (file.empty()) return;
  refuse_to_overwrite(flag, file, hub::resolve(asking.model.model).path,
                      {"-", asking.request_file.value_or(std::string())});
  require_writable(file);
}

int64_t trace_candidates(const std::string& file, const Model& model) {
  return file.empty() ? -1 : std::min(static_cast<int64_t>(kTraceTop), model.config().vocab_size);
}

Trace::Model identify(const std::string& name, const std::filesystem::path& path) {
  const auto file = open_model(path);
  return {name, file->file_bytes(), fingerprint(*file)};
}

void write_trace(const std::string& file, const Asking& asking, Session& session,
                 const std::vector<TokenId>& prompt, const Answer& answer) {
  if (file.empty()) return;
  Trace trace;
  trace.program = KELDA_VERSION;
  trace.model = identify(asking.model.model, session.resolved().path);
  trace.compute = session.model().compute();
  trace.window = session.runner().window();
  trace.rope = asking.model.rope;
  trace.threads = session.runner().pool().n_threads();
  trace.instruction_set = session.runner().kernels().name;
  trace.prompt = prompt;
  trace.knobs = asking.knobs;
  trace.seed = answer.admitted.seed;
  for (const DrawReport& report : answer.draws) trace.steps.push_back(trace_step(report));
  trace.finish = trace_finish(answer.last);
  AtomicFile out(file);
  out.write(trace_text(trace));
  out.commit();
}

}  // namespace kelda::cli
