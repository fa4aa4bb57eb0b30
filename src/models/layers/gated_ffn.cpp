#include "models/layers/gated_ffn.h"

#include "ops/elementwise.h"

namespace kelda::models {

void GatedFfn::tensors(const ModelConfig& c, const Options& options, int64_t i, TensorList& t) {
  const int64_t inner = c.intermediate_size;
  Norm::tensors(c, block_part(i, "ffn_norm"), t);
  if (!options.fused_gate_up) Linear::tensors(i, "ffn_gate", inner, c.hidden_size, Bias::kNone, t);
  Linear::tensors(i, "ffn_up", options.fused_gate_up ? 2 * inner : inner, c.hidden_size, Bias::kNone, t);
  Linear::tensors(i, "ffn_down", c.hidden_size, inner, Bias::kNone, t);
  if (options.post_norm) Norm::tensors(c, block_part(i, "post_ffw_norm"), t);
}

GatedFfn::GatedFfn(const Weights& w, const ModelConfig& c, const Options& options, int64_t i)
    : options_(options),
      norm_(w, c, block_part(i, "ffn_norm")),
      up_(w, i, "ffn_up"),
      down_(w, i, "ffn_down") {
  if (!options.fused_gate_up) gate_ = Linear(w, i, "ffn_gate");
  if (options.post_norm) post_norm_.emplace(w, c, block_part(i, "post_ffw_norm"));
}

void GatedFfn::forward(const ModelConfig& c, Scratch& s, Exec& x, Matrix<float> hidden) const {
  const int64_t n = hidden.rows, inner = c.intermediate_size;
  const Matrix<float> normed = s.normed.shape(n, c.hidden_size);
  norm_.forward(x, hidden, normed);

  Matrix<float> gate, up;
  if (options_.fused_gate_up) {
    const Matrix<float> both = s.gate.shape(n, 2 * inner);
    up_.forward(x, normed, s.input, both);
    gate = both.col_range(0, inner);
    up = both.col_range(inner, inner);
  } else {
    gate = s.gate.shape(n, inner);
    up = s.up.shape(n, inner);
    s.input.set(x, normed, gate_.quantized() || up_.quantized());
    const ops::MatmulItem gate_up[] = {gate_.item(gate), up_.item(up)};
    ops::matmul_many(x, gate_up, s.input);
  }
  gated(options_.activation, x, gate, up, gate);

  const Matrix<float> delta = s.delta.shape(n, c.hidden_size);
  down_.forward(x, gate, s.input, delta);
  if (post_norm_) post_norm_->forward(x, delta, delta);
  ops::add(x, hidden, delta);
}

}  // namespace kelda::models
