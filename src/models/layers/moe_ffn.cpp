#include "models/layers/moe_ffn.h"

#include "ops/elementwise.h"
#include "ops/experts.h"

namespace kelda::models {

void MoeFfn::tensors(const ModelConfig& c, const Options& options, int64_t i, TensorList& t) {
  Norm::tensors(c, block_part(i, "ffn_norm"), t);
  Linear::tensors(i, "ffn_gate_inp", c.n_experts, c.hidden_size, Bias::kNone, t);
  t.stack(block_tensor(i, "ffn_gate_exps"), c.n_experts, c.expert_intermediate_size, c.hidden_size);
  t.stack(block_tensor(i, "ffn_up_exps"), c.n_experts, c.expert_intermediate_size, c.hidden_size);
  t.stack(block_tensor(i, "ffn_down_exps"), c.n_experts, c.hidden_size, c.expert_intermediate_size);
  if (!options.shared_expert) return;
  Linear::tensors(i, "ffn_gate_inp_shexp", 1, c.hidden_size, Bias::kNone, t);
  Linear::tensors(i, "ffn_gate_shexp", c.shared_intermediate_size, c.hidden_size, Bias::kNone, t);
  Linear::tensors(i, "ffn_up_shexp", c.shared_intermediate_size, c.hidden_size, Bias::kNone, t);
  Linear::tensors(i, "ffn_down_shexp", c.hidden_size, c.shared_intermediate_size, Bias::kNone, t);
}

MoeFfn::MoeFfn(const Weights& w, const ModelConfig& c, const Options& options, int64_t i)
    : options_(options),
      norm_(w, c, block_part(i, "ffn_norm")),
      router_(w, i, "ffn_gate_inp"),
      gate_(w.stack(block_tensor(i, "ffn_gate_exps"))),
      up_(w.stack(block_tensor(i, "ffn_up_exps"))),
      down_(w.stack(block_tensor(i, "ffn_down_exps"))) {
  if (!options.shared_expert) return;
  shared_router_ = Linear(w, i, "ffn_gate_inp_shexp");
  shared_gate_ = Linear(w, i, "ffn_gate_shexp");
  shared_up_ = Linear(w, i, "ffn_up_shexp");
  shared_down_ = Linear(w, i, "ffn_down_shexp");
}

void MoeFfn::run_expert(std::size_t expert, const ModelConfig& c, Scratch& s, Exec& x, Matrix<const float> in,
                        Matrix<float> out) const {
  const quant::PackedMatrix &gate_w = gate_[expert], &up_w = up_[expert], &down_w = down_[expert];
  const Matrix<float> gate = s.gate.shape(in.rows, c.expert_intermediate_size);
  const Matrix<float> up = s.up.shape(in.rows, c.expert_intermediate_size);
  s.input.set(x, in, gate_w.format().quantized || up_w.format().quantized);
  const ops::MatmulItem gate_up[] = {{&gate_w, gate}, {&up_w, up}};
  ops::matmul_many(x, gate_up, s.input);
  gated(options_.activation, x, gate, up, gate);
  s.input.set(x, gate, down_w.format().quantized);
  ops::matmul(x, down_w, s.input, out);
}

void MoeFfn::add_shared_expert(const ModelConfig& c, Scratch& s, Exec& x, Matrix<const float> in,
                               Matrix<float> sum) const {
  const Matrix<float> open = s.router.shape(in.rows, 1);
  const Matrix<float> gate = s.gate.shape(in.rows, c.shared_intermediate_size);
  const Matrix<float> up = s.up.shape(in.rows, c.shared_intermediate_size);
  s.input.set(x, in, shared_router_.quantized() || shared_gate_.quantized() || shared_up_.quantized());
  const ops::MatmulItem items[] = {shared_router_.item(open), shared_gate_.item(gate), shared_up_.item(up)};
  ops::matmul_many(x, items, s.input);
  gated(options_.activation, x, gate, up, gate);
  const Matrix<float> out = s.expert_out.shape(in.rows, c.hidden_size);
  shared_down_.forward(x, gate, s.input, out);
  ops::add_gated_rows(x, sum, out, open);
}

void MoeFfn::forward(const ModelConfig& c, Scratch& s, Exec& x, Matrix<float> hidden) const {
  const int64_t n = hidden.rows, n_choices = n * c.n_experts_used;
  const Matrix<float> normed = s.normed.shape(n, c.hidden_size);
  const Matrix<float> router = s.router.shape(n, c.n_experts);
  norm_.forward(x, hidden, normed);
  router_.forward(x, normed, s.input, router);
  ops::choose_experts(x, router, c.n_experts_used, c.norm_topk_prob, s.choices);

  const Matrix<float> in = s.expert_in.shape(n_choices, c.hidden_size);
  const Matrix<float> out = s.expert_out.shape(n_choices, c.hidden_size);
  ops::gather_rows(x, s.choices, normed, in);
  for (std::size_t e = 0; e < gate_.size(); ++e) {
    const int64_t first = s.choices.first_row[e], count = s.choices.first_row[e + 1] - first;
    if (count > 0) run_expert(e, c, s, x, in.row_range(first, count), out.row_range(first, count));
  }
  const Matrix<float> delta = s.delta.shape(n, c.hidden_size);
  ops::combine_rows(x, s.choices, out, delta);
  if (options_.shared_expert) add_shared_expert(c, s, x, normed, delta);
  ops::add(x, hidden, delta);
}

}  // namespace kelda::models
