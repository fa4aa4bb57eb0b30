// An encoder: embedding, then blocks of attention over the whole text and feed-forward. Its result is the
// tokens' vectors.
#pragma once

#include <memory>
#include <vector>

#include "models/family.h"
#include "models/layers/attention.h"
#include "models/layers/embedding.h"
#include "models/layers/ffn.h"

namespace kelda::models {

struct EncoderDesign {
  Embedding::Options embedding = {};
  Attention::Options attention = {};
  Ffn::Options feed_forward = {};
};

class Encoder final : public EncoderNetwork {
 public:
  static void tensors(const ModelConfig& c, const EncoderDesign& design, TensorList& t);
  // The weights and the config outlive it.
  Encoder(const Weights& w, const ModelConfig& c, const EncoderDesign& design);

  void encode(const Batch& in, KvCache& kv, Scratch& s, Exec& x, Matrix<float> hidden) const override;

 private:
  struct Block {
    Attention attention;
    Ffn feed_forward;
  };
  const ModelConfig& c_;
  Embedding embedding_;
  std::vector<Block> blocks_;
};

// The two rows of a family that is an encoder of the given design, an object with static storage.
template <const EncoderDesign& design>
void encoder_tensors(const ModelConfig& c, TensorList& t) {
  Encoder::tensors(c, design, t);
}
template <const EncoderDesign& design>
std::unique_ptr<const EncoderNetwork> bind_encoder(const Weights& w, const ModelConfig& c) {
  return std::make_unique<Encoder>(w, c, design);
}

}  // namespace kelda::models
