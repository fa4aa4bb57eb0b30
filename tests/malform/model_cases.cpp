// Files that the container's reader accepts and the loader of a model must refuse. The message names the key
// or tensor.
#include <limits>
#include <string>
#include <string_view>

#include "malform/cases.h"
#include "malform/gguf_builder.h"
#include "malform/tiny_llama.h"

namespace kelda::malform {
namespace {

class ModelCases {
 public:
  ModelCases() : base_(make_tiny_llama({.format = "q4_0"})) {}

  void good(const std::string& name) { cases_.push_back({name, Stage::kModel, 0, "", base_.bytes()}); }
  // The tiny model after `change`, which it survives.
  template <typename Change>
  void fine(const std::string& name, Change&& change) {
    GgufBuilder b = base_;
    change(b);
    cases_.push_back({name, Stage::kModel, 0, "", b.bytes()});
  }

  // The tiny model after `change`; the error must contain `message`.
  template <typename Change>
  void changed(const std::string& name, const std::string& message, Change&& change) {
    GgufBuilder b = base_;
    change(b);
    cases_.push_back({name, Stage::kModel, 2, message, b.bytes()});
  }

  // One metadata entry replaced; the error must name its key.
  void key(const std::string& name, const std::string& key, const std::string& value) {
    changed(name, key, [&](GgufBuilder& b) { b.set(key, value); });
  }
  void no_key(const std::string& key) {
    changed("model_without_" + key, key, [&](GgufBuilder& b) { b.remove(key); });
  }

  std::vector<Case> take() { return std::move(cases_); }

 private:
  GgufBuilder base_;
  std::vector<Case> cases_;
};

void add_network_cases(ModelCases& m) {
  m.key("model_architecture_unknown", "general.architecture", scalar("martian"));
  m.key("model_architecture_u32", "general.architecture", scalar(uint32_t{1}));
  m.no_key("general.architecture");
  for (const char* name : {"block_count", "context_length", "embedding_length", "feed_forward_length",
                           "attention.head_count", "attention.layer_norm_rms_epsilon"}) {
    m.no_key(std::string("llama.") + name);
  }
  for (const char* name : {"block_count", "context_length", "embedding_length", "feed_forward_length",
                           "attention.head_count", "attention.head_count_kv"}) {
    const std::string key = std::string("llama.") + name;
    m.key("model_" + key + "_0", key, scalar(uint32_t{0}));
    m.key("model_" + key + "_negative", key, scalar(int32_t{-1}));
    m.key("model_" + key + "_max", key, scalar(~uint64_t{0}));
    m.key("model_" + key + "_string", key, scalar("2"));
  }
  m.key("model_block_count_10_9", "llama.block_count", scalar(uint32_t{1000000000}));
  m.changed("model_block_count_3", "blk.2.",
            [](GgufBuilder& b) { b.set("llama.block_count", scalar(uint32_t{3})); });
  m.changed("model_block_count_1", "blk.1.",
            [](GgufBuilder& b) { b.set("llama.block_count", scalar(uint32_t{1})); });
  m.key("model_head_count_not_dividing", "llama.attention.head_count", scalar(uint32_t{3}));
  m.key("model_head_count_kv_not_dividing", "llama.attention.head_count_kv", scalar(uint32_t{3}));
  m.changed("model_embedding_length_128", "token_embd.weight", [](GgufBuilder& b) {
    b.set("llama.embedding_length", scalar(uint32_t{128})).remove("llama.rope.dimension_count");
  });
  m.changed("model_feed_forward_length_96", "blk.0.ffn_",
            [](GgufBuilder& b) { b.set("llama.feed_forward_length", scalar(uint32_t{96})); });

  const std::string eps = "llama.attention.layer_norm_rms_epsilon";
  m.key("model_rms_eps_nan", eps, scalar(std::numeric_limits<float>::quiet_NaN()));
  m.key("model_rms_eps_infinite", eps, scalar(std::numeric_limits<float>::infinity()));
  m.key("model_rms_eps_negative", eps, scalar(-1e-5f));
  m.key("model_rope_dims_odd", "llama.rope.dimension_count", scalar(uint32_t{15}));
  m.key("model_rope_dims_0", "llama.rope.dimension_count", scalar(uint32_t{0}));
  m.key("model_rope_dims_beyond_head", "llama.rope.dimension_count", scalar(uint32_t{32}));
  m.key("model_rope_base_nan", "llama.rope.freq_base", scalar(std::numeric_limits<float>::quiet_NaN()));
  m.key("model_rope_base_0", "llama.rope.freq_base", scalar(0.0f));
}

// Keys that ask for arithmetic other than what runs.
void add_meaning_cases(ModelCases& m) {
  m.key("model_vocab_size_other", "llama.vocab_size", scalar(kTinyVocabSize + 1));
  m.changed("model_rope_scaling_without_factor", "llama.rope.scaling.factor",
            [](GgufBuilder& b) { b.set("llama.rope.scaling.type", scalar("linear")); });
  m.key("model_rope_scaling_factor_0", "llama.rope.scaling.factor", scalar(0.0f));
  m.key("model_rope_scale_linear_0", "llama.rope.scale_linear", scalar(0.0f));
  m.key("model_sliding_window_minus_1", "llama.attention.sliding_window", scalar(int32_t{-1}));
  m.key("model_attention_scale_2", "llama.attention.scale", scalar(2.0f));
  m.key("model_not_causal", "llama.attention.causal", scalar(false));
  m.key("model_causal_u32", "llama.attention.causal", scalar(uint32_t{1}));
  m.key("model_8_experts", "llama.expert_count", scalar(uint32_t{8}));
  m.key("model_logit_scale_8", "llama.logit_scale", scalar(8.0f));
  m.key("model_logit_scale_nan", "llama.logit_scale", scalar(std::numeric_limits<float>::quiet_NaN()));
  m.key("model_key_unknown", "llama.attention.mystery", scalar(uint32_t{1}));
}

// Texts that would steer a terminal: ESC, and the control sequence introducer of C1 as a character and as a
// bare byte. Messages show them escaped.
void add_escape_cases(ModelCases& m) {
  const std::string escapes =
                        "\x1B[2J\xC2\x9B"
                        "2J\x9B",
                    shown = "\"\\x1B[2J\\xC2\\x9B2J\\x9B\"";
  const auto text = [&](const std::string& name, const std::string& key) {
    m.changed(name, shown, [&](GgufBuilder& b) { b.set(key, scalar(escapes)); });
  };
  m.fine("model_name_with_escapes_is_fine", [&](GgufBuilder& b) { b.set("general.name", scalar(escapes)); });
  text("model_architecture_with_escapes", "general.architecture");
  text("model_tokenizer_with_escapes", "tokenizer.ggml.model");
  text("model_pre_tokenizer_with_escapes", "tokenizer.ggml.pre");
  text("model_rope_scaling_with_escapes", "llama.rope.scaling.type");
  text("model_data_layout_with_escapes", "llama.tensor_data_layout");
  m.changed("model_pieces_twice_with_escapes", shown, [&](GgufBuilder& b) {
    TinyVocabulary v = tiny_vocabulary();
    v.pieces[280] = v.pieces[281] = escapes;
    b.set("tokenizer.ggml.tokens", array(v.pieces));
  });
  m.changed("model_merge_with_escapes", shown, [&](GgufBuilder& b) {
    TinyVocabulary v = tiny_vocabulary();
    v.merges[5] = escapes;
    b.set("tokenizer.ggml.merges", array(v.merges));
  });
  const std::string merged = shown.substr(0, shown.size() - 1) + "a\", which is of type control";
  m.changed("model_merge_to_control_with_escapes", merged, [&](GgufBuilder& b) {
    TinyVocabulary v = tiny_vocabulary();
    v.pieces.insert(v.pieces.end(), {escapes, escapes + "a"});
    v.types.insert(v.types.end(), {1, 3});
    v.merges.push_back(escapes + " a");
    b.set("tokenizer.ggml.tokens", array(v.pieces)).set("tokenizer.ggml.token_type", array(v.types));
    b.set("tokenizer.ggml.merges", array(v.merges)).remove("llama.vocab_size");
  });
}

void add_tensor_cases(ModelCases& m) {
  m.changed("model_tensor_missing", "output_norm.weight", [](GgufBuilder& b) {
    std::erase_if(b.tensors, [](const GgufBuilder::Tensor& t) { return t.name == "output_norm.weight"; });
  });
  m.changed("model_tensor_unknown", "blk.0.attn_mystery.weight", [](GgufBuilder& b) {
    GgufBuilder::Tensor extra = b.tensor("output_norm.weight");
    extra.name = "blk.0.attn_mystery.weight";
    b.tensors.push_back(extra);
  });
  m.changed("model_tensor_transposed", "blk.1.ffn_up.weight", [](GgufBuilder& b) {
    b.tensor("blk.1.ffn_up.weight").dims = {128, 64};
  });
  m.changed("model_tensor_3d", "blk.0.attn_q.weight", [](GgufBuilder& b) {
    b.tensor("blk.0.attn_q.weight").dims = {64, 32, 2};
  });
  m.changed("model_norm_wrong_length", "blk.0.attn_norm.weight",
            [](GgufBuilder& b) { b.tensor("blk.0.attn_norm.weight").dims = {32}; });
}

void add_vocabulary_cases(ModelCases& m) {
  const TinyVocabulary v = tiny_vocabulary();
  const std::string tokens = "tokenizer.ggml.tokens", types = "tokenizer.ggml.token_type";
  const std::string scores = "tokenizer.ggml.scores", merges = "tokenizer.ggml.merges";

  m.changed("model_tokens_not_embedding_rows", "token_embd.weight", [&](GgufBuilder& b) {
    TinyVocabulary longer = v;
    longer.pieces.push_back("<|one_more|>");
    longer.types.push_back(3);
    b.set(tokens, array(longer.pieces)).set(types, array(longer.types)).remove("llama.vocab_size");
  });
  m.key("model_tokens_empty", tokens, array<std::string>({}));
  m.key("model_tokens_i32", tokens, array<int32_t>(std::vector<int32_t>(kTinyVocabSize, 1)));
  m.key("model_tokens_string", tokens, scalar("a"));
  std::vector<int32_t> short_types = v.types;
  short_types.pop_back();
  m.key("model_token_types_short", types, array(short_types));
  m.key("model_token_types_f32", types, array<float>(std::vector<float>(kTinyVocabSize, 1)));
  for (const int32_t bad : {0, 7, -1, std::numeric_limits<int32_t>::max()}) {
    std::vector<int32_t> wrong = v.types;
    wrong[9] = bad;
    m.key("model_token_type_" + std::to_string(bad), types, array(wrong));
  }
  m.key("model_scores_short", scores, array<float>(std::vector<float>(kTinyVocabSize - 1, 0)));
  m.key("model_scores_i32", scores, array<int32_t>(std::vector<int32_t>(kTinyVocabSize, 0)));

  const auto with_merge = [&](const char* merge) {
    std::vector<std::string> changed = v.merges;
    changed[5] = merge;
    return array(changed);
  };
  m.key("model_merge_without_blank", merges, with_merge("on"));
  m.key("model_merge_two_blanks", merges, with_merge("o n e"));
  m.key("model_merge_empty_left", merges, with_merge(" n"));
  m.key("model_merge_empty", merges, with_merge(""));
  m.key("model_merge_of_unknown_piece", merges, with_merge("zz n"));
  m.key("model_merge_to_unknown_piece", merges, with_merge("z z"));
  m.key("model_merges_i32", merges, array<int32_t>({1, 2}));

  for (const char* which : {"bos", "eos"}) {
    const std::string key = std::string("tokenizer.ggml.") + which + "_token_id";
    m.key(std::string("model_") + which + "_is_vocab_size", key, scalar(kTinyVocabSize));
    m.key(std::string("model_") + which + "_max", key, scalar(0xFFFFFFFFu));
    m.key(std::string("model_") + which + "_negative", key, scalar(int32_t{-2}));
    m.key(std::string("model_") + which + "_string", key, scalar("1"));
  }
  m.key("model_add_bos_u32", "tokenizer.ggml.add_bos_token", scalar(uint32_t{1}));
  m.key("model_tokenizer_unknown", "tokenizer.ggml.model", scalar("martian"));
  m.key("model_tokenizer_u32", "tokenizer.ggml.model", scalar(uint32_t{1}));
  m.no_key("tokenizer.ggml.model");
  m.key("model_pre_tokenizer_unknown", "tokenizer.ggml.pre", scalar("martian"));
}

}  // namespace

std::vector<Case> model_cases() {
  ModelCases m;
  m.good("model_is_fine");
  add_network_cases(m);
  add_meaning_cases(m);
  add_escape_cases(m);
  add_tensor_cases(m);
  add_vocabulary_cases(m);
  return m.take();
}

}  // namespace kelda::malform
