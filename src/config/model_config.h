// The numbers that describe a network, fixed by whoever trained it. CONFIG: read once from the file's
// metadata, then const. Names follow Hugging Face's config.json where they can.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kelda {

struct RopeConfig {
  double theta = 10000.0;
  int64_t n_rot = 0;  // leading dimensions of each head that are rotated, even
  bool interleaved =
      false;  // pairs (2i, 2i+1) as in Llama's GGUF files; else (i, i + n_rot/2) as in GPT-NeoX
};

struct ModelConfig {
  std::string architecture;  // GGUF's general.architecture: the family's name
  std::string name;          // what the file calls itself
  int64_t vocab_size = 0;
  int64_t hidden_size = 0;        // residual width
  int64_t intermediate_size = 0;  // FFN inner width
  int64_t n_layers = 0;
  int64_t n_heads = 0;     // query heads
  int64_t n_kv_heads = 0;  // KV heads; n_heads is a multiple (GQA; 1 is MQA)
  int64_t head_dim = 0;
  int64_t n_ctx_train = 0;  // the window: positions the model was trained on
  float rms_norm_eps = 0;
  RopeConfig rope;
  std::vector<int64_t> windows;  // [n_layers] keys back that a layer sees, its own included; 0 = all

  uint64_t bytes() const { return sizeof *this + architecture.size() + name.size() + windows.size() * 8; }
};

}  // namespace kelda
