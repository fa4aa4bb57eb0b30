#include "models/layers/head.h"

#include <algorithm>

#include "base/check.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"

namespace kelda::models {

void Head::tensors(const ModelConfig& c, TensorList& t) {
  Norm::tensors(c, "output_norm", t);
  t.tied_matrix("output.weight", "token_embd.weight", c.vocab_size, c.hidden_size);
}

Head::Head(const Weights& w, const ModelConfig& c)
    : norm_(w, c, "output_norm"), output_(w.matrix("output.weight")) {}

void Head::forward(const ModelConfig& c, const Batch& in, Scratch& s, Exec& x, Matrix<const float> hidden,
                   Matrix<float> logits) const {
  const auto n = static_cast<int64_t>(in.logit_rows.size());
  KELDA_CHECK(logits.rows == n);
  if (n == 0) return;
  const Matrix<float> wanted = s.delta.shape(n, c.hidden_size);
  for (int64_t i = 0; i < n; ++i) {
    const float* row = hidden.row(in.logit_rows[static_cast<std::size_t>(i)]);
    std::copy_n(row, c.hidden_size, wanted.row(i));
  }
  const Matrix<float> normed = s.normed.shape(n, c.hidden_size);
  norm_.forward(x, wanted, normed);
  s.input.set(x, normed, output_.format().quantized);
  ops::matmul(x, output_, s.input, logits);
  if (c.final_softcap > 0) ops::softcap(x, logits, c.final_softcap);
}

}  // namespace kelda::models
