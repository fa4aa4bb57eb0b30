// A decoder-only transformer: embedding, blocks of attention and feed-forward, head. What a family is made of
// is its Design; what sizes it has is its ModelConfig.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "models/family.h"
#include "models/layers/attention.h"
#include "models/layers/embedding.h"
#include "models/layers/ffn.h"
#include "models/layers/gated_ffn.h"
#include "models/layers/head.h"
#include "models/layers/moe_ffn.h"
#include "ops/rope.h"

namespace kelda::models {

struct Design {
  using FeedForward = std::variant<GatedFfn::Options, MoeFfn::Options, Ffn::Options>;
  Embedding::Options embedding = {};
  Attention::Options attention = {};
  FeedForward feed_forward = GatedFfn::Options{};
  bool rope_factors = false;  // the file may stretch each wavelength by a factor of its own
};

class Decoder final : public Network {
 public:
  static void tensors(const ModelConfig& c, const Design& design, TensorList& t);
  // The weights and the config outlive it. Throws kBadInput for weights that no design can run.
  Decoder(const Weights& w, const ModelConfig& c, const Design& design);

  void forward(const Batch& in, KvCache& kv, Scratch& s, Exec& x, Matrix<float> logits) const override;

 private:
  struct Block {
    Attention attention;
    std::variant<GatedFfn, MoeFfn, Ffn> feed_forward;
    bool local;  // rotates with the windowed layers' frequencies
  };
  const ModelConfig& c_;
  Embedding embedding_;
  ops::RopeFrequencies frequencies_, local_frequencies_;
  std::vector<Block> blocks_;
  Head head_;
};

// The two rows of a family that is a decoder of the given design, an object with static storage.
template <const Design& design>
void decoder_tensors(const ModelConfig& c, TensorList& t) {
  Decoder::tensors(c, design, t);
}
template <const Design& design>
std::unique_ptr<const Network> bind_decoder(const Weights& w, const ModelConfig& c) {
  return std::make_unique<Decoder>(w, c, design);
}

}  // namespace kelda::models
