#include "models/layers/gated_ffn.h"

#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/norm.h"

namespace kelda::models {

void GatedFfn::tensors(const ModelConfig& c, int64_t i, TensorList& t) {
  t.vector(block_tensor(i, "ffn_norm"), c.hidden_size);
  t.matrix(block_tensor(i, "ffn_gate"), c.intermediate_size, c.hidden_size);
  t.matrix(block_tensor(i, "ffn_up"), c.intermediate_size, c.hidden_size);
  t.matrix(block_tensor(i, "ffn_down"), c.hidden_size, c.intermediate_size);
}

GatedFfn::GatedFfn(const Weights& w, const ModelConfig&, int64_t i)
    : norm_(w.vector(block_tensor(i, "ffn_norm"))),
      gate_(w.matrix(block_tensor(i, "ffn_gate"))),
      up_(w.matrix(block_tensor(i, "ffn_up"))),
      down_(w.matrix(block_tensor(i, "ffn_down"))) {}

void GatedFfn::forward(const ModelConfig& c, Scratch& s, Exec& x, Matrix<float> hidden) const {
  const int64_t n = hidden.rows;
  const Matrix<float> normed = s.normed.shape(n, c.hidden_size);
  const Matrix<float> gate = s.gate.shape(n, c.intermediate_size);
  const Matrix<float> up = s.up.shape(n, c.intermediate_size);

  ops::rms_norm(x, hidden, norm_, c.rms_norm_eps, normed);
  s.input.set(x, normed, gate_.format().quantized || up_.format().quantized);
  const ops::MatmulItem gate_up[] = {{&gate_, gate}, {&up_, up}};
  ops::matmul_many(x, gate_up, s.input);
  ops::silu_mul(x, gate, up, gate);

  const Matrix<float> delta = s.delta.shape(n, c.hidden_size);
  s.input.set(x, gate, down_.format().quantized);
  ops::matmul(x, down_, s.input, delta);
  ops::add(x, hidden, delta);
}

}  // namespace kelda::models
