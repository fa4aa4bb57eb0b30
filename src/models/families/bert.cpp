// BERT: an encoder. LayerNorm after each sum, learned positions, a vector for the segment, biases everywhere,
// a plain feed-forward block with gelu by the error function. Source: Devlin et al. 2018 (arXiv 1810.04805).
// Weights: GGUF architecture "bert".
#include "models/common_keys.h"
#include "models/huggingface/sentence_settings.h"
#include "models/layers/encoder.h"

namespace kelda::models::bert {
namespace {

constexpr EncoderDesign kDesign = {
    .embedding = {.learned_positions = true, .token_types = true, .norm = true},
    .attention = {.qkv_bias = Bias::kAlways, .output_bias = Bias::kAlways, .norm = NormPlace::kAfter},
    .feed_forward = {.bias = Bias::kAlways, .exact_gelu = true, .norm = NormPlace::kAfter},
};

const std::vector<NameRow> kNames = {
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.position_embeddings", "position_embd"},
    {"embeddings.token_type_embeddings", "token_types"},
    {"embeddings.LayerNorm", "token_embd_norm"},
    {"embeddings.position_ids", "", Translated::kDropped},
    {"encoder.layer.{}.attention.self.query", "blk.{}.attn_q"},
    {"encoder.layer.{}.attention.self.key", "blk.{}.attn_k"},
    {"encoder.layer.{}.attention.self.value", "blk.{}.attn_v"},
    {"encoder.layer.{}.attention.output.dense", "blk.{}.attn_output"},
    {"encoder.layer.{}.attention.output.LayerNorm", "blk.{}.attn_output_norm"},
    {"encoder.layer.{}.intermediate.dense", "blk.{}.ffn_up"},
    {"encoder.layer.{}.output.dense", "blk.{}.ffn_down"},
    {"encoder.layer.{}.output.LayerNorm", "blk.{}.layer_output_norm"},
    {"pooler.dense.weight", "", Translated::kDropped},
    {"pooler.dense.bias", "", Translated::kDropped},
};

void read(ConfigKeys& k, ModelConfig& c) {
  read_layer_norm(k, c);
  k.only("attention.causal", false);
  c.causal = false;
  c.n_token_types = k.integer_of_file("tokenizer.ggml.token_type_count", 1, 1 << 16);
  read_pooling(k, c);
}

void translate(ConfigJson& c, Translation& t) {
  translate_sizes(c, t);
  t.set_integer("context_length", c.integer("max_position_embeddings", 1, 1 << 30));
  t.set_number("attention.layer_norm_epsilon", c.number("layer_norm_eps", 0, 1));
  t.set("attention.causal", false);
  t.metadata.set("tokenizer.ggml.token_type_count",
                 static_cast<uint32_t>(c.integer("type_vocab_size", 1, 1 << 16)));
  c.only_text("hidden_act", {"gelu"});
  c.only_text("position_embedding_type", {"absolute"});
  for (const char* flag : {"is_decoder", "add_cross_attention"}) c.only(flag, false);
  ignore_training(c);
  for (const char* key : {"attention_probs_dropout_prob", "hidden_dropout_prob", "classifier_dropout"})
    c.ignore(key);
  // Of the layer behind the first token that is dropped, and of no layer at all.
  for (const char* key : {"pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
                          "pooler_size_per_head", "pooler_type", "directionality"})
    c.ignore(key);
}

}  // namespace

const Family& family() {
  static const Family f{.name = "bert",
                        .summary = "BERT, texts to vectors",
                        .read = read,
                        .tensors = encoder_tensors<kDesign>,
                        .bind_encoder = bind_encoder<kDesign>,
                        .tiny = {{"bert.attention.layer_norm_epsilon", 1e-12f},
                                 {"bert.attention.causal", false},
                                 {"bert.pooling_type", uint32_t{1}},
                                 {"tokenizer.ggml.token_type_count", uint32_t{2}}},
                        .huggingface = {.architectures = {{"BertModel", "bert"}},
                                        .tied = true,
                                        .config = translate,
                                        .names = kNames,
                                        .optional_prefix = "bert.",
                                        .beside = translate_sentence_modules}};
  return f;
}

}  // namespace kelda::models::bert
