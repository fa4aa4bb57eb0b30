#include "jinja/limits.h"

#include "jinja/errors.h"

namespace kelda::jinja {

void Budget::too_many_steps() const {
  raise(Raised::kLimit, "the template takes more than {} steps (limit: steps)", limits_.steps);
}

void Budget::too_much_memory(std::size_t n_bytes) const {
  raise(Raised::kLimit, "{} bytes more on top of {}: values may take {} bytes (limit: value_bytes)", n_bytes,
        live_bytes_, limits_.value_bytes);
}

void Budget::too_deep() const {
  raise(Raised::kLimit, "calls and expressions are nested deeper than {} (limit: depth)", limits_.depth);
}

void Budget::value_too_deep() const {
  raise(Raised::kLimit, "a value is nested deeper than {} (limit: value_depth)", limits_.value_depth);
}

void Effort::too_much() {
  raise(Raised::kSyntax, "the template is too complex: its names take more than {} steps to resolve",
        kMaxResolveSteps);
}

void Budget::too_much_output() const {
  raise(Raised::kLimit, "the rendered text is longer than {} bytes (limit: output_bytes)",
        limits_.output_bytes);
}

}  // namespace kelda::jinja
