// Token ids to vectors.
#pragma once

#include <span>

#include "ops/exec.h"
#include "quant/packed_matrix.h"
#include "tensor/matrix.h"

namespace kelda::ops {

// out[i] = row tokens[i] of the embedding table, as floats (weight = scale × code + min, unfused).
//   table: [vocab_size, hidden_size]   out: [n_tokens, hidden_size]   Checks: ids are below vocab_size.
void embed(Exec&, const quant::PackedMatrix& table, std::span<const int32_t> tokens, Matrix<float> out);

}  // namespace kelda::ops
