#include "context/means.h"

#include "base/trim.h"

namespace kelda::context {

void add_to(Usage& sum, const Usage& part) {
  sum.prompt_tokens += part.prompt_tokens;
  sum.completion_tokens += part.completion_tokens;
  sum.passes += part.passes;
  sum.prefill_passes += part.prefill_passes;
}

Written Means::write(const Given& prompt, int64_t max_tokens) {
  Written written = write_(ids(prompt), max_tokens);
  add_to(usage_, written.usage);
  ++n_runs_;
  written.text = std::string(trimmed(written.text));
  return written;
}

}  // namespace kelda::context
