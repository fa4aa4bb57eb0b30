// The numbers that describe a network, fixed by whoever trained it. CONFIG: read once from the file's
// metadata, then const. Names follow Hugging Face's config.json where they can.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace kelda {

// How the rotary wavelengths were stretched to reach beyond the context of pre-training.
enum class RopeScaling {
  kNone,
  kLinear,    // every wavelength × factor
  kYarn,      // long ones × factor, short ones as they are, a ramp between; cos and sin a little larger
  kLongRope,  // each wavelength by a factor of its own, one list up to the original context, one beyond
};

struct RopeConfig {
  double theta = 10000.0;
  int64_t n_rot = 0;  // leading dimensions of each head that are rotated, even; 0 = no rotation at all
  bool interleaved =
      false;  // pairs (2i, 2i+1) as in Llama's GGUF files; else (i, i + n_rot/2) as in GPT-NeoX
  RopeScaling scaling = RopeScaling::kNone;
  double factor = 1.0;                       // how many times longer than the original context
  int64_t original_context = 0;              // positions of pre-training, before stretching; yarn, longrope
  double beta_fast = 32.0, beta_slow = 1.0;  // yarn: rotations within the original context
  double attn_factor = 0.0;   // cos and sin are multiplied by it; 0 = what the scaling's paper derives
  bool long_factors = false;  // longrope: the list for texts beyond the original context
  bool file_factors = true;   // the file's tensors of factors, if it has any, divide the frequencies
};

enum class NormKind {
  kRms,    // x / rms(x) · w
  kLayer,  // (x − mean) / deviation · w + b
};

// How the vectors of a text's tokens become one of the text.
enum class Pooling {
  kNone,  // the file does not say
  kMean,  // of all tokens, those that frame the text too
  kCls,   // the first token's
};

// What the kernels need of a head's width: a multiple of this.
inline constexpr int64_t kHeadUnit = 16;

// In messages and files for people.
constexpr std::string_view pooling_name(Pooling pooling) {
  return pooling == Pooling::kMean ? "mean" : pooling == Pooling::kCls ? "cls" : "none";
}

// The longest context that any part of the engine counts in: positions are int32, and sums of two of them.
inline constexpr int64_t kMaxPositions = std::numeric_limits<int32_t>::max() / 2;

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
  NormKind norm = NormKind::kRms;
  float norm_eps = 0;

  bool causal = true;         // a token sees itself and those before it; else the whole text
  int64_t n_token_types = 0;  // segments of a text that have a vector each; 0 = there are none
  Pooling pooling = Pooling::kNone;
  bool unit_length = true;  // the vector of a text is brought to length 1

  std::vector<int64_t> windows;  // [n_layers] keys back that a layer sees, its own included; 0 = all
  RopeConfig rope;
  RopeConfig rope_windowed;  // of the layers with a window, where local_rope says that they have their own
  bool local_rope = false;
  float attention_scale = 0;    // of q·k; usually 1 / √head_dim
  float attention_softcap = 0;  // scores become cap · tanh(score / cap); 0 = not
  float final_softcap = 0;      // logits likewise
  float embedding_scale = 1;    // of the token's vector

  int64_t n_experts = 0;       // per layer; 0 = a dense network
  int64_t n_experts_used = 0;  // of them, for each token
  int64_t expert_intermediate_size = 0;
  int64_t shared_intermediate_size = 0;  // of the expert that every token takes; 0 = there is none
  bool norm_topk_prob = false;           // the chosen experts' weights are divided by their sum

  uint64_t bytes() const { return sizeof *this + architecture.size() + name.size() + windows.size() * 8; }
};

}  // namespace kelda
