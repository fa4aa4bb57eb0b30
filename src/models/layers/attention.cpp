#include "models/layers/attention.h"

#include "ops/elementwise.h"
#include "ops/norm.h"

namespace kelda::models {
namespace {

std::string_view norm_name(NormPlace place) {
  return place == NormPlace::kBefore ? "attn_norm" : "attn_output_norm";
}

// Biases that all layers have, or none.
constexpr std::string_view kQkvBiases = "biases of queries, keys and values";

}  // namespace

void Attention::tensors(const ModelConfig& c, const Options& options, int64_t i, TensorList& t) {
  const int64_t q_rows = c.n_heads * c.head_dim, kv_rows = c.n_kv_heads * c.head_dim;
  Norm::tensors(c, block_part(i, norm_name(options.norm)), t);
  if (options.fused_qkv) {
    Linear::tensors(i, "attn_qkv", q_rows + 2 * kv_rows, c.hidden_size, options.qkv_bias, t, kQkvBiases);
  } else {
    Linear::tensors(i, "attn_q", q_rows, c.hidden_size, options.qkv_bias, t, kQkvBiases);
    Linear::tensors(i, "attn_k", kv_rows, c.hidden_size, options.qkv_bias, t, kQkvBiases);
    Linear::tensors(i, "attn_v", kv_rows, c.hidden_size, options.qkv_bias, t, kQkvBiases);
  }
  Linear::tensors(i, "attn_output", c.hidden_size, q_rows, options.output_bias, t,
                  "biases of the output");  // Qwen's shape has the others without it
  if (options.qk_norm) {
    t.vector(block_tensor(i, "attn_q_norm"), c.head_dim);
    t.vector(block_tensor(i, "attn_k_norm"), c.head_dim);
  }
  if (options.post_norm) Norm::tensors(c, block_part(i, "post_attention_norm"), t);
}

Attention::Attention(const Weights& w, const ModelConfig& c, const Options& options, int64_t i)
    : place_(options.norm),
      norm_(w, c, block_part(i, norm_name(options.norm))),
      fused_(options.fused_qkv),
      output_(w, i, "attn_output") {
  if (fused_) {
    qkv_ = Linear(w, i, "attn_qkv");
  } else {
    q_ = Linear(w, i, "attn_q");
    k_ = Linear(w, i, "attn_k");
    v_ = Linear(w, i, "attn_v");
  }
  if (options.qk_norm) {
    q_norm_ = w.vector(block_tensor(i, "attn_q_norm"));
    k_norm_ = w.vector(block_tensor(i, "attn_k_norm"));
  }
  if (options.post_norm) post_norm_.emplace(w, c, block_part(i, "post_attention_norm"));
}

Attention::Qkv Attention::project(const ModelConfig& c, Matrix<const float> normed, Scratch& s,
                                  Exec& x) const {
  const int64_t n = normed.rows, q_cols = c.n_heads * c.head_dim, kv_cols = c.n_kv_heads * c.head_dim;
  if (fused_) {
    const Matrix<float> all = s.q.shape(n, q_cols + 2 * kv_cols);
    qkv_.forward(x, normed, s.input, all);
    return {all.col_range(0, q_cols), all.col_range(q_cols, kv_cols),
            all.col_range(q_cols + kv_cols, kv_cols)};
  }
  const Qkv out = {s.q.shape(n, q_cols), s.k.shape(n, kv_cols), s.v.shape(n, kv_cols)};
  s.input.set(x, normed, q_.quantized() || k_.quantized() || v_.quantized());
  const ops::MatmulItem items[] = {q_.item(out.q), k_.item(out.k), v_.item(out.v)};
  ops::matmul_many(x, items, s.input);
  q_.add_bias(x, out.q);
  k_.add_bias(x, out.k);
  v_.add_bias(x, out.v);
  return out;
}

void Attention::forward(const ModelConfig& c, const Batch& in, const KvLayer& kv,
                        const ops::RopeTable* angles, Scratch& s, Exec& x, Matrix<float> hidden) const {
  const int64_t n = in.n_rows();
  Matrix<float> input = hidden;
  if (place_ == NormPlace::kBefore) {
    input = s.normed.shape(n, c.hidden_size);
    norm_.forward(x, hidden, input);
  }
  const auto [q, k, v] = project(c, input, s, x);
  if (!q_norm_.empty()) {
    ops::rms_norm_heads(x, q, q_norm_, c.norm_eps);
    ops::rms_norm_heads(x, k, k_norm_, c.norm_eps);
  }
  if (angles != nullptr) {
    ops::rope(x, *angles, q, c.n_heads, c.head_dim, c.rope.n_rot, c.rope.interleaved);
    ops::rope(x, *angles, k, c.n_kv_heads, c.head_dim, c.rope.n_rot, c.rope.interleaved);
  }
  ops::store_kv(x, kv, in.runs, k, v);

  const Matrix<float> attended = s.attended.shape(n, c.n_heads * c.head_dim);
  ops::attention(x, kv, in.runs, c.n_heads, {c.attention_scale, c.attention_softcap}, q, s.attention,
                 attended);

  const Matrix<float> delta = s.delta.shape(n, c.hidden_size);
  output_.forward(x, attended, s.input, delta);
  if (post_norm_) post_norm_->forward(x, delta, delta);
  ops::add(x, hidden, delta);
  if (place_ == NormPlace::kAfter) norm_.forward(x, hidden, hidden);
}

}  // namespace kelda::models
