// Llama: a pre-norm decoder of attention and SwiGLU blocks with rotary positions. SmolLM2 files name it, and
// any other file that does runs if its metadata asks for no more than this and its tokenizer is listed.
// Source: Touvron et al. 2023 (arXiv 2302.13971). Weights: GGUF architecture "llama", whose converter has
// permuted the rows of attn_q and attn_k so that rotated pairs are neighbours.
#include "models/family.h"
#include "models/layers/attention.h"
#include "models/layers/gated_ffn.h"
#include "models/layers/head.h"
#include "ops/embed.h"

namespace kelda::models::llama {
namespace {

// CONFIG: what differs from the common keys.
void read(ConfigKeys& k, ModelConfig& c) {
  c.rope.interleaved = true;
  k.only("tensor_data_layout", "Meta AI original pth");  // the order of rows that `interleaved` takes
  k.ignore("attention.layer_norm_epsilon");              // there is no LayerNorm here, only RMSNorm
}

// LEARNED: each tensor and its shape.
void tensors(const ModelConfig& c, TensorList& t) {
  t.matrix("token_embd.weight", c.vocab_size, c.hidden_size);
  for (int64_t i = 0; i < c.n_layers; ++i) {
    Attention::tensors(c, i, t);
    GatedFfn::tensors(c, i, t);
  }
  Head::tensors(c, t);
}

class Llama final : public Network {
 public:
  Llama(const Weights& w, const ModelConfig& c)
      : c_(c), token_embd_(w.matrix("token_embd.weight")), head_(w) {
    for (int64_t i = 0; i < c.n_layers; ++i) blocks_.push_back({Attention(w, c, i), GatedFfn(w, c, i)});
  }

  // (learned, config, input, state) → logits. Read it as the paper's figure.
  void forward(const Batch& in, KvCache& kv, Scratch& s, Exec& x, Matrix<float> logits) const override {
    const Matrix<float> h = s.hidden.shape(in.n_rows(), c_.hidden_size);
    ops::RopeTable& angles = s.rope(c_.rope);
    angles.fill(x, in.positions);
    ops::embed(x, token_embd_, in.tokens, h);
    for (int64_t i = 0; i < c_.n_layers; ++i) {
      const Block& block = blocks_[static_cast<std::size_t>(i)];
      block.attention.forward(c_, in, kv.layer(i), angles, s, x, h);  // h += attention(norm(h))
      block.ffn.forward(c_, s, x, h);                                 // h += ffn(norm(h))
    }
    head_.forward(c_, in, s, x, h, logits);
  }

 private:
  struct Block {
    Attention attention;
    GatedFfn ffn;
  };
  const ModelConfig& c_;
  const quant::PackedMatrix& token_embd_;
  std::vector<Block> blocks_;
  Head head_;
};

}  // namespace

const Family& family() {
  static const Family f{.name = "llama",
                        .summary = "SmolLM2 and other llama-architecture files with a listed tokenizer",
                        .read = read,
                        .tensors = tensors,
                        .bind = [](const Weights& w, const ModelConfig& c) -> std::unique_ptr<const Network> {
                          return std::make_unique<Llama>(w, c);
                        }};
  return f;
}

}  // namespace kelda::models::llama
