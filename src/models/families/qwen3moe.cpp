// Qwen3 with experts: Qwen3's attention, and in place of the feed-forward block many small ones of which a
// router picks a few for each token.
// Source: Qwen Team 2025 (arXiv 2505.09388), section 2. Weights: GGUF architecture "qwen3moe".
#include "models/common_keys.h"
#include "models/layers/decoder.h"

namespace kelda::models::qwen3moe {
namespace {

constexpr Design kDesign = {
    .attention = {.qk_norm = true},
    .feed_forward = MoeFfn::Options{.activation = Activation::kSilu},
};

void read(ConfigKeys& k, ModelConfig& c) {
  read_rms_norm(k, c);
  read_rope(k, c, /*interleaved=*/false);
  read_experts(k, c, /*normalised=*/true);
}

void translate(ConfigJson& c, Translation& t) {
  translate_decoder(c, t);
  c.only_text("hidden_act", {"silu"});
  c.only("attention_bias", false);
  refuse_windows(c);
  t.set_integer("expert_count",
                c.integer(c.has("num_experts") ? "num_experts" : "num_local_experts", 1, 4096));
  t.set_integer("expert_used_count", c.integer("num_experts_per_tok", 1, 4096));
  t.set_integer("expert_feed_forward_length", c.integer("moe_intermediate_size", 1, 1 << 20));
  t.set("expert_weights_norm", c.boolean("norm_topk_prob", false));
  c.only("decoder_sparse_step", 1.0);  // every layer has experts
  c.only_empty("mlp_only_layers");
  for (const char* training : {"output_router_logits", "router_aux_loss_coef"}) c.ignore(training);
}

}  // namespace

const Family& family() {
  static const Family f{
      .name = "qwen3moe",
      .summary = "Qwen3 with experts",
      .read = read,
      .tensors = decoder_tensors<kDesign>,
      .bind = bind_decoder<kDesign>,
      .tiny = {{"qwen3moe.expert_count", uint32_t{6}},
               {"qwen3moe.expert_used_count", uint32_t{2}},
               {"qwen3moe.expert_feed_forward_length", uint32_t{64}}},
      .huggingface = {.architectures = {"Qwen3MoeForCausalLM"},
                      .config = translate,
                      .names = {{"layers.{}.mlp.gate", "blk.{}.ffn_gate_inp"},
                                {"layers.{}.mlp.experts.{}.gate_proj", "blk.{}.ffn_gate_exps"},
                                {"layers.{}.mlp.experts.{}.up_proj", "blk.{}.ffn_up_exps"},
                                {"layers.{}.mlp.experts.{}.down_proj", "blk.{}.ffn_down_exps"}}}};
  return f;
}

}  // namespace kelda::models::qwen3moe
