// GPT-2: LayerNorm, learned positions, biases everywhere, a plain feed-forward block with gelu.
// Source: Radford et al. 2019, "Language models are unsupervised multitask learners". Weights: GGUF
// architecture "gpt2".
#include "base/error.h"
#include "models/common_keys.h"
#include "models/layers/decoder.h"

namespace kelda::models::gpt2 {
namespace {

constexpr Design kDesign = {
    .embedding = {.learned_positions = true},
    .attention = {.qkv_bias = Bias::kAlways, .output_bias = Bias::kAlways, .fused_qkv = true},
    .feed_forward = Ffn::Options{.bias = Bias::kAlways},
};

void read(ConfigKeys& k, ModelConfig& c) { read_layer_norm(k, c); }

void translate(ConfigJson& c, Translation& t) {
  const int64_t width = c.integer("n_embd", 1, 1 << 20), heads = c.integer("n_head", 1, 65536);
  if (width % heads != 0) {
    fail(ErrorCode::kBadInput, "n_embd is {} and n_head is {}: the second must divide the first", width,
         heads);
  }
  t.set_integer("block_count", c.integer("n_layer", 1, 4096));
  t.set_integer("context_length", c.integer("n_positions", 1, 1 << 30));
  t.set_integer("embedding_length", width);
  t.set_integer("feed_forward_length", c.integer("n_inner", 1, 1 << 20, 4 * width));
  t.set_integer("attention.head_count", heads);
  t.set_integer("attention.key_length", width / heads);
  t.set_number("attention.layer_norm_epsilon", c.number("layer_norm_epsilon", 0, 1));
  t.set_integer("vocab_size", c.integer("vocab_size", 1, 1 << 24));
  c.only_text("activation_function", {"gelu_new", "gelu_pytorch_tanh"});
  c.only("scale_attn_weights", true);
  for (const char* flag : {"scale_attn_by_inverse_layer_idx", "reorder_and_upcast_attn"}) c.only(flag, false);
  c.only("n_special", 0.0);
  ignore_training(c);
  for (const char* key : {"n_ctx", "summary_activation", "summary_first_dropout", "summary_proj_to_labels",
                          "summary_type", "summary_use_proj", "predict_special_tokens"})
    c.ignore(key);
}

}  // namespace

const Family& family() {
  static const Family f{
      .name = "gpt2",
      .summary = "GPT-2",
      .read = read,
      .tensors = decoder_tensors<kDesign>,
      .bind = bind_decoder<kDesign>,
      .tiny = {{"gpt2.attention.layer_norm_epsilon", 1e-5f}},
      .huggingface = {.architectures = {{"GPT2LMHeadModel", "gpt2"}, {"GPT2Model", "gpt2"}},
                      .tied = true,
                      .config = translate,
                      .names = {{"wte", "token_embd"},
                                {"wpe", "position_embd"},
                                {"ln_f", "output_norm"},
                                {"h.{}.ln_1", "blk.{}.attn_norm"},
                                {"h.{}.attn.c_attn", "blk.{}.attn_qkv", Translated::kTransposed},
                                {"h.{}.attn.c_proj", "blk.{}.attn_output", Translated::kTransposed},
                                {"h.{}.ln_2", "blk.{}.ffn_norm"},
                                {"h.{}.mlp.c_fc", "blk.{}.ffn_up", Translated::kTransposed},
                                {"h.{}.mlp.c_proj", "blk.{}.ffn_down", Translated::kTransposed},
                                {"h.{}.attn.bias", "", Translated::kDropped},
                                {"h.{}.attn.masked_bias", "", Translated::kDropped}},
                      .optional_prefix = "transformer."}};
  return f;
}

}  // namespace kelda::models::gpt2
