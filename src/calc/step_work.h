// What one decoding step of a model reads and multiplies, known from the header of its file.
#pragma once

#include <string>
#include <vector>

#include "calc/roofline.h"
#include "config/model_config.h"
#include "files/model_file.h"
#include "learned/tensor_list.h"
#include "state/kv_cache.h"

namespace kelda::calc {

// The matrices of one weight format that every token is multiplied with; those of the head apart.
struct MatrixWork {
  const quant::FormatSpec* format = nullptr;
  bool head = false;
  uint64_t shared_bytes = 0;    // packed, read once a step
  uint64_t sequence_bytes = 0;  // experts: those that one token takes
  uint64_t macs = 0;            // for one token

  std::string name() const;  // "head, q8_0"
};

struct StepWork {
  std::vector<MatrixWork> matrices;
  uint64_t vector_bytes = 0;  // norms and biases
  uint64_t table_bytes = 0;   // a token's rows of the tables it is looked up in
};
// The tensors have been checked against the file. Packed as kAuto packs them.
StepWork step_work(const ModelFile& file, const TensorList& tensors, const ModelConfig& config);

// The roofline's parts of a step at a depth (tokens that the step attends to, its own included); rates are
// left at 0. The last part is the KV cache's.
std::vector<Part> parts_of(const StepWork& work);
Part kv_part(const KvShape& kv, int64_t n_heads, int64_t depth);

}  // namespace kelda::calc
