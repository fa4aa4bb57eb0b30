#include "models/layers/attention.h"

#include <cmath>

#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/norm.h"

namespace kelda::models {

void Attention::tensors(const ModelConfig& c, int64_t i, TensorList& t) {
  t.vector(block_tensor(i, "attn_norm"), c.hidden_size);
  t.matrix(block_tensor(i, "attn_q"), c.n_heads * c.head_dim, c.hidden_size);
  t.matrix(block_tensor(i, "attn_k"), c.n_kv_heads * c.head_dim, c.hidden_size);
  t.matrix(block_tensor(i, "attn_v"), c.n_kv_heads * c.head_dim, c.hidden_size);
  t.matrix(block_tensor(i, "attn_output"), c.hidden_size, c.n_heads * c.head_dim);
}

Attention::Attention(const Weights& w, const ModelConfig&, int64_t i)
    : norm_(w.vector(block_tensor(i, "attn_norm"))),
      q_(w.matrix(block_tensor(i, "attn_q"))),
      k_(w.matrix(block_tensor(i, "attn_k"))),
      v_(w.matrix(block_tensor(i, "attn_v"))),
      output_(w.matrix(block_tensor(i, "attn_output"))) {}

void Attention::forward(const ModelConfig& c, const Batch& in, const KvLayer& kv,
                        const ops::RopeTable& angles, Scratch& s, Exec& x, Matrix<float> hidden) const {
  const int64_t n = in.n_rows();
  const Matrix<float> normed = s.normed.shape(n, c.hidden_size);
  const Matrix<float> q = s.q.shape(n, c.n_heads * c.head_dim);
  const Matrix<float> k = s.k.shape(n, c.n_kv_heads * c.head_dim);
  const Matrix<float> v = s.v.shape(n, c.n_kv_heads * c.head_dim);

  ops::rms_norm(x, hidden, norm_, c.rms_norm_eps, normed);
  s.input.set(x, normed, q_.format().quantized || k_.format().quantized || v_.format().quantized);
  const ops::MatmulItem qkv[] = {{&q_, q}, {&k_, k}, {&v_, v}};
  ops::matmul_many(x, qkv, s.input);

  ops::rope(x, angles, q, c.n_heads, c.head_dim, c.rope.n_rot, c.rope.interleaved);
  ops::rope(x, angles, k, c.n_kv_heads, c.head_dim, c.rope.n_rot, c.rope.interleaved);
  ops::store_kv(x, kv, in.runs, k, v);

  const Matrix<float> attended = s.attended.shape(n, c.n_heads * c.head_dim);
  const float scale = 1.0f / std::sqrt(static_cast<float>(c.head_dim));
  ops::attention(x, kv, in.runs, c.n_heads, scale, q, s.attention, attended);

  const Matrix<float> delta = s.delta.shape(n, c.hidden_size);
  s.input.set(x, attended, output_.format().quantized);
  ops::matmul(x, output_, s.input, delta);
  ops::add(x, hidden, delta);
}

}  // namespace kelda::models
