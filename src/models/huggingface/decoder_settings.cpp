// What decoders' folders have in common.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/error.h"
#include "base/quote.h"
#include "config/model_config.h"
#include "models/huggingface/huggingface.h"
#include "models/huggingface/rope_settings.h"

namespace kelda::models {
namespace {

constexpr int64_t kMaxWidth = 1 << 20, kMaxLayers = 4096;

// One for each layer, or none.
std::vector<std::string> layer_types(ConfigJson& c) {
  std::vector<std::string> types = c.texts("layer_types");
  const int64_t n_layers = c.integer("num_hidden_layers", 1, kMaxLayers);
  if (!types.empty() && static_cast<int64_t>(types.size()) != n_layers) {
    fail(ErrorCode::kBadInput, "{} has {} entries and num_hidden_layers is {}", c.full("layer_types"),
         types.size(), n_layers);
  }
  return types;
}

// Of training, of saving, of how transformers runs.
constexpr const char* kOfTraining[] = {"architectures",
                                       "model_type",
                                       "transformers_version",
                                       "_name_or_path",
                                       "use_cache",
                                       "initializer_range",
                                       "bos_token_id",
                                       "eos_token_id",
                                       "pad_token_id",
                                       "unk_token_id",
                                       "attention_dropout",
                                       "hidden_dropout",
                                       "embd_pdrop",
                                       "resid_pdrop",
                                       "attn_pdrop",
                                       "pretraining_tp",
                                       "output_attentions",
                                       "output_hidden_states",
                                       "return_dict",
                                       "_attn_implementation",
                                       "auto_map",
                                       "cache_implementation",
                                       "_flash_attn_2_enabled",
                                       "unsloth_version",
                                       "unsloth_fixed",
                                       "transformers.js_config",
                                       "problem_type",
                                       "id2label",
                                       "label2id",
                                       "_num_labels",
                                       "tokenizer_class",
                                       "torchscript",
                                       "use_bfloat16",
                                       "_attn_implementation_autoset",
                                       "output_past",
                                       "tie_encoder_decoder",
                                       "is_decoder",
                                       "cross_attention_hidden_size",
                                       "finetuning_task",
                                       "tf_legacy_loss",
                                       "sep_token_id",
                                       "decoder_start_token_id",
                                       "chunk_size_feed_forward",
                                       "is_encoder_decoder",
                                       "gradient_checkpointing",
                                       "task_specific_params",
                                       "is_llama_config"};
// Settings of generation, which older versions wrote into config.json; those of generation_config.json count.
constexpr const char* kOfGeneration[] = {"max_length",
                                         "min_length",
                                         "do_sample",
                                         "early_stopping",
                                         "num_beams",
                                         "num_beam_groups",
                                         "diversity_penalty",
                                         "temperature",
                                         "top_k",
                                         "top_p",
                                         "typical_p",
                                         "repetition_penalty",
                                         "length_penalty",
                                         "no_repeat_ngram_size",
                                         "encoder_no_repeat_ngram_size",
                                         "bad_words_ids",
                                         "num_return_sequences",
                                         "output_scores",
                                         "return_dict_in_generate",
                                         "forced_bos_token_id",
                                         "forced_eos_token_id",
                                         "remove_invalid_values",
                                         "prefix",
                                         "exponential_decay_length_penalty",
                                         "suppress_tokens",
                                         "begin_suppress_tokens"};

}  // namespace

const std::vector<NameRow> kDecoderNames = {
    {"embed_tokens", "token_embd"},
    {"norm", "output_norm"},
    {"lm_head", "output"},
    {"layers.{}.input_layernorm", "blk.{}.attn_norm"},
    {"layers.{}.self_attn.q_proj", "blk.{}.attn_q"},
    {"layers.{}.self_attn.k_proj", "blk.{}.attn_k"},
    {"layers.{}.self_attn.v_proj", "blk.{}.attn_v"},
    {"layers.{}.self_attn.o_proj", "blk.{}.attn_output"},
    {"layers.{}.self_attn.q_norm", "blk.{}.attn_q_norm"},
    {"layers.{}.self_attn.k_norm", "blk.{}.attn_k_norm"},
    {"layers.{}.post_attention_layernorm", "blk.{}.ffn_norm"},
    {"layers.{}.mlp.gate_proj", "blk.{}.ffn_gate"},
    {"layers.{}.mlp.up_proj", "blk.{}.ffn_up"},
    {"layers.{}.mlp.down_proj", "blk.{}.ffn_down"},
    {"layers.{}.mlp.gate", "blk.{}.ffn_gate_inp"},
    {"layers.{}.mlp.experts.{}.gate_proj", "blk.{}.ffn_gate_exps"},
    {"layers.{}.mlp.experts.{}.up_proj", "blk.{}.ffn_up_exps"},
    {"layers.{}.mlp.experts.{}.down_proj", "blk.{}.ffn_down_exps"},
    {"layers.{}.self_attn.rotary_emb.inv_freq", "", Translated::kDropped},
};

void Translation::set(std::string_view key, MetadataValue value) {
  metadata.set(fmt::format("{}.{}", architecture, key), std::move(value));
}

void Translation::set_integer(std::string_view key, int64_t value) {
  KELDA_CHECK(value >= 0 && value <= UINT32_MAX);
  set(key, static_cast<uint32_t>(value));
}

void Translation::set_number(std::string_view key, double value) { set(key, static_cast<float>(value)); }

int64_t Translation::head_dim() const {
  return metadata.integer(fmt::format("{}.attention.key_length", architecture), 1, 4096);
}

void ignore_training(ConfigJson& c) {
  for (const char* type : {"torch_dtype", "dtype"}) c.text(type, "");  // the tensors have types of their own
  for (const char* key : kOfTraining) c.ignore(key);
  for (const char* key : kOfGeneration) c.ignore(key);
  c.only("add_cross_attention", false);
  if (const auto pruned = c.object("pruned_heads")) pruned->refuse_unread();
}

void translate_sizes(ConfigJson& c, Translation& t, int64_t default_head_dim) {
  const int64_t hidden = c.integer("hidden_size", 1, kMaxWidth);
  const int64_t heads = c.integer("num_attention_heads", 1, 65536);
  t.set_integer("block_count", c.integer("num_hidden_layers", 1, kMaxLayers));
  t.set_integer("embedding_length", hidden);
  t.set_integer("feed_forward_length", c.integer("intermediate_size", 1, kMaxWidth));
  t.set_integer("attention.head_count", heads);
  t.set_integer("vocab_size", c.integer("vocab_size", 1, 1 << 24));
  if (!c.has("head_dim") && default_head_dim == 0 && hidden % heads != 0) {
    fail(ErrorCode::kBadInput,
         "hidden_size is {} and num_attention_heads is {}: the second must divide the first", hidden, heads);
  }
  const int64_t head_dim =
      c.integer("head_dim", 1, 4096, default_head_dim != 0 ? default_head_dim : hidden / heads);
  if (head_dim % kHeadUnit != 0) {
    fail(ErrorCode::kUnsupported, "heads of {} dimensions ({}): this build runs multiples of {}", head_dim,
         c.has("head_dim") ? "head_dim" : "hidden_size / num_attention_heads", kHeadUnit);
  }
  t.set_integer("attention.key_length", head_dim);
  t.set_integer("attention.value_length", head_dim);
}

void translate_decoder(ConfigJson& c, Translation& t, const DecoderDefaults& defaults) {
  translate_sizes(c, t, defaults.head_dim);
  const int64_t heads = c.integer("num_attention_heads", 1, 65536);
  const bool as_many = defaults.n_kv_heads == 0 || c.is_null("num_key_value_heads");
  const int64_t kv_heads = c.integer("num_key_value_heads", 1, 65536, as_many ? heads : defaults.n_kv_heads);
  if (heads % kv_heads != 0) {
    fail(ErrorCode::kBadInput,
         "num_attention_heads is {} and num_key_value_heads is {}: the second must divide the first", heads,
         kv_heads);
  }
  t.set_integer("attention.head_count_kv", kv_heads);
  t.set_number("attention.layer_norm_rms_epsilon", c.number("rms_norm_eps", 0, 1));
  translate_rope(c, t, t.head_dim(), defaults.rope_base, defaults.original_context);
  ignore_training(c);
}

void translate_experts(ConfigJson& c, Translation& t, std::initializer_list<std::string_view> counted_by) {
  const auto named = std::ranges::find_if(counted_by, [&](std::string_view key) { return c.has(key); });
  const std::string_view counted = named == counted_by.end() ? *counted_by.begin() : *named;
  const int64_t n_experts = c.integer(counted, 1, 4096), n_used = c.integer("num_experts_per_tok", 1, 4096);
  c.integer_under(counted_by, 1, 4096);  // whose other names must say the same
  if (n_used > n_experts)
    fail(ErrorCode::kBadInput, "num_experts_per_tok is {} and {} is {}: more than there are", n_used, counted,
         n_experts);
  t.set_integer("expert_count", n_experts);
  t.set_integer("expert_used_count", n_used);
  t.set_integer("expert_feed_forward_length", c.integer("moe_intermediate_size", 1, 1 << 20));
  t.set("expert_weights_norm", c.boolean("norm_topk_prob", false));
  c.only("decoder_sparse_step", 1.0);
  c.only_empty("mlp_only_layers");
  for (const char* training : {"output_router_logits", "router_aux_loss_coef"}) c.ignore(training);
}

void translate_window(ConfigJson& c, Translation& t, int64_t otherwise) {
  const int64_t absent = c.is_null("sliding_window") ? 0 : otherwise;
  const int64_t window = c.has("sliding_window") ? c.integer("sliding_window", 1, UINT32_MAX) : absent;
  if (window > 0) t.set_integer("attention.sliding_window", window);
}

void translate_window_of_some(ConfigJson& c, Translation& t, int64_t otherwise) {
  if (c.is_null("sliding_window")) {
    fail(ErrorCode::kBadInput, "{} is null; layers of this architecture have one: a whole number is needed",
         c.full("sliding_window"));
  }
  translate_window(c, t, otherwise);
}

void translate_layer_types(ConfigJson& c, Translation& t) {
  std::vector<bool> windowed;
  for (const std::string& type : layer_types(c)) {
    if (type != "full_attention" && type != "sliding_attention") {
      fail(ErrorCode::kUnsupported, "{} has {}; this build runs full_attention and sliding_attention",
           c.full("layer_types"), quote(type));
    }
    windowed.push_back(type == "sliding_attention");
  }
  if (!windowed.empty()) t.set("attention.sliding_window_pattern", windowed);
}

void translate_query_scalar(ConfigJson& c, Translation& t) {
  constexpr double kOfTheClass = 256;
  const auto scalar = static_cast<float>(c.number("query_pre_attn_scalar", 1e-3, 1e6, kOfTheClass));
  t.set("attention.scale", 1.0f / std::sqrt(scalar));  // as read_config() computes it where a file is silent
}

void refuse_windows(ConfigJson& c) {
  c.only("use_sliding_window", false);
  for (const char* unused : {"sliding_window", "max_window_layers"}) c.ignore(unused);
  require_full_attention(c);
}

void require_full_attention(ConfigJson& c) {
  for (const std::string& type : layer_types(c)) {
    if (type != "full_attention")
      fail(ErrorCode::kUnsupported, "{} has {}; this build runs full_attention here", c.full("layer_types"),
           quote(type));
  }
}

}  // namespace kelda::models
