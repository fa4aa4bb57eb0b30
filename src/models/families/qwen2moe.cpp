// Qwen1.5-MoE and Qwen2 with experts: Qwen2's attention, many small feed-forward blocks of which a router
// picks a few for each token, and one that every token takes as far as a gate lets it. Source: Qwen Team 2024
// (arXiv 2407.10671), section 2.2. Weights: GGUF architecture "qwen2moe".
#include "models/common_keys.h"
#include "models/layers/decoder.h"

namespace kelda::models::qwen2moe {
namespace {

constexpr Design kDesign = {
    .attention = {.qkv_bias = Bias::kAlways},
    .feed_forward = MoeFfn::Options{.activation = Activation::kSilu, .shared_expert = true},
};

void read(ConfigKeys& k, ModelConfig& c) {
  read_rms_norm(k, c);
  read_rope(k, c, /*interleaved=*/false);
  read_experts(k, c, /*normalised=*/false);
  read_shared_expert(k, c);
}

void translate(ConfigJson& c, Translation& t) {
  translate_decoder(c, t, {.n_kv_heads = 16});
  c.only_text("hidden_act", {"silu"});
  c.only("qkv_bias", true);
  refuse_windows(c);
  translate_experts(c, t, {"num_experts"});
  t.set_integer("expert_shared_feed_forward_length",
                c.integer("shared_expert_intermediate_size", 1, 1 << 20));
}

}  // namespace

const Family& family() {
  static const Family f{
      .name = "qwen2moe",
      .summary = "Qwen1.5-MoE and Qwen2 with experts",
      .read = read,
      .tensors = decoder_tensors<kDesign>,
      .bind = bind_decoder<kDesign>,
      .tiny = {{"qwen2moe.expert_count", uint32_t{6}},
               {"qwen2moe.expert_used_count", uint32_t{2}},
               {"qwen2moe.expert_feed_forward_length", uint32_t{64}},
               {"qwen2moe.expert_shared_feed_forward_length", uint32_t{96}}},
      .huggingface = {.architectures = {{"Qwen2MoeForCausalLM", "qwen2_moe"}},
                      .config = translate,
                      .names = {{"layers.{}.mlp.shared_expert_gate", "blk.{}.ffn_gate_inp_shexp"},
                                {"layers.{}.mlp.shared_expert.gate_proj", "blk.{}.ffn_gate_shexp"},
                                {"layers.{}.mlp.shared_expert.up_proj", "blk.{}.ffn_up_shexp"},
                                {"layers.{}.mlp.shared_expert.down_proj", "blk.{}.ffn_down_shexp"}}}};
  return f;
}

}  // namespace kelda::models::qwen2moe
