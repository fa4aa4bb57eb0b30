#include "calc/step_work.h"

#include <algorithm>

#include "base/checked.h"
#include "quant/packed_matrix.h"

namespace kelda::calc {
namespace {

constexpr std::string_view kHead = "output.weight";

const TensorSpec* head_of(const TensorList& tensors) {
  const auto& specs = tensors.specs();
  const auto found =
      std::find_if(specs.begin(), specs.end(), [](const TensorSpec& s) { return s.name == kHead; });
  return found == specs.end() ? nullptr : &*found;
}

// Of the tables outside of the blocks a step looks up one row; what is multiplied with is in the blocks, or
// is the head.
bool is_table(const TensorSpec& spec) { return !spec.name.starts_with("blk.") && spec.name != kHead; }

MatrixWork& work_for(StepWork& work, const quant::FormatSpec& format, bool head) {
  const auto at = std::find_if(work.matrices.begin(), work.matrices.end(),
                               [&](const MatrixWork& m) { return m.format == &format && m.head == head; });
  if (at != work.matrices.end()) return *at;
  work.matrices.push_back({.format = &format, .head = head});
  return work.matrices.back();
}

uint64_t packed(const TensorInfo& t, int64_t rows) {
  return quant::packed_bytes(*t.format, rows, t.cols()).value_or(0);  // 0: the file could not hold it
}

void add_matrix(const TensorInfo& t, bool head, StepWork& work) {
  MatrixWork& m = work_for(work, *t.format, head);
  m.shared_bytes += packed(t, t.rows());
  m.macs += static_cast<uint64_t>(t.n_elements());
}

// One token takes some of the stacked matrices.
void add_stack(const TensorInfo& t, int64_t n_stacked, int64_t n_used, StepWork& work) {
  MatrixWork& m = work_for(work, *t.format, false);
  m.sequence_bytes += packed(t, t.rows() / n_stacked) * static_cast<uint64_t>(n_used);
  m.macs += static_cast<uint64_t>(t.n_elements() / n_stacked * n_used);
}

}  // namespace

std::string MatrixWork::name() const { return (head ? "head, " : "weights, ") + std::string(format->name); }

StepWork step_work(const ModelFile& file, const TensorList& tensors, const ModelConfig& config) {
  StepWork work;
  for (const TensorSpec& spec : tensors.specs()) {
    const TensorInfo* t = file.find(spec.name);
    if (t == nullptr) continue;
    if (spec.kind == TensorSpec::Kind::kVector) {
      work.vector_bytes += static_cast<uint64_t>(t->n_elements()) * sizeof(float);
    } else if (spec.kind == TensorSpec::Kind::kStack) {
      add_stack(*t, spec.shape[0], config.n_experts_used, work);
    } else if (is_table(spec)) {
      work.table_bytes += packed(*t, t->rows()) / static_cast<uint64_t>(t->rows());
    } else {
      add_matrix(*t, spec.name == kHead, work);
    }
  }
  const TensorSpec* head = head_of(tensors);
  if (head != nullptr && file.find(kHead) == nullptr) {
    if (const TensorInfo* tied = file.find(head->tied_to)) add_matrix(*tied, true, work);
  }
  return work;
}

std::vector<Part> parts_of(const StepWork& work) {
  std::vector<Part> parts;
  for (const MatrixWork& m : work.matrices) {
    parts.push_back({.name = m.name(),
                     .shared_bytes = static_cast<double>(m.shared_bytes),
                     .sequence_bytes = static_cast<double>(m.sequence_bytes),
                     .sequence_macs = static_cast<double>(m.macs)});
  }
  parts.push_back({.name = "norms, biases, one row of each table",
                   .shared_bytes = static_cast<double>(work.vector_bytes),
                   .sequence_bytes = static_cast<double>(work.table_bytes)});
  return parts;
}

Part kv_part(const KvShape& kv, int64_t n_heads, int64_t depth) {
  Part part{.name = "KV cache"};
  for (const int64_t window : kv.windows) {
    const auto keys = static_cast<double>(window > 0 ? std::min(window, depth) : depth);
    const auto width = static_cast<double>(kv.head_dim);
    part.sequence_bytes +=
        keys * width * static_cast<double>(kv.n_kv_heads) * 2 * static_cast<double>(element_bytes(kv.type));
    part.sequence_macs += keys * width * static_cast<double>(n_heads) * 2;
  }
  return part;
}

}  // namespace kelda::calc
