// How the folder of a model on Hugging Face (config.json and safetensors) says what a GGUF file says. A
// family lists its differences; the rest is common. The rules are those of the files themselves and of
// llama.cpp's converter, so that both files of one model give the same bits.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/metadata.h"
#include "models/huggingface/config_json.h"

namespace kelda::models {

// What is done with a tensor's numbers on the way.
enum class Translated {
  kAsIs,
  kInterleaved,  // rows (i, i + half) of each head become neighbours, as Llama's GGUF files have them
  kPlusOne,      // a norm's weight, stored as the difference to 1
  kTransposed,   // of a layer that multiplies from the right
  kDropped,      // a mask or a table that can be computed, or a part without use here
};

// Names without ".weight" or ".bias". A {} is the number of the layer; of a tensor of one expert, the second
// is the expert's, and all of them become one stack.
struct NameRow {
  std::string_view theirs, ours;
  Translated how = Translated::kAsIs;
};

// What a config.json says, in GGUF's words.
struct Translation {
  std::string_view architecture;  // the family's name
  Metadata metadata = {};
  std::map<std::string, std::vector<float>> tensors = {};  // those that GGUF files have and folders compute
  // Of classes with a switch for them: whether queries, keys, values and the attention's output have biases.
  std::optional<bool> attention_bias = {};

  // Keys are below the architecture's prefix, numbers of the types that GGUF files hold: u32 and f32.
  void set(std::string_view key, MetadataValue value);
  void set_integer(std::string_view key, int64_t value);  // 0 to 2^32 - 1
  void set_number(std::string_view key, double value);
  int64_t head_dim() const;  // which must have been set
};

// A class of transformers: config.json's "architectures", and the "model_type" that goes with it.
struct HuggingFaceClass {
  std::string_view name, model_type;
};

struct HuggingFace {
  std::vector<HuggingFaceClass> architectures = {};
  bool tied = false;  // the class's tie_word_embeddings, where config.json has none
  // What every decoder has is read before; throws naming the key.
  void (*config)(ConfigJson&, Translation&) = nullptr;
  std::vector<NameRow> names = {};  // before kDecoderNames, which hold where these say nothing
  std::string_view optional_prefix = "model.";
  // What the folder's other files say of the network, where there are such; throws naming the file.
  void (*beside)(const std::filesystem::path& folder, Translation&) = nullptr;
};

// Llama's names, which most others share.
extern const std::vector<NameRow> kDecoderNames;

// What transformers' class takes where config.json has no such key.
struct DecoderDefaults {
  double rope_base = 10000;
  int64_t head_dim = 0;          // 0: the width divided by the number of heads
  int64_t n_kv_heads = 0;        // 0: as many as there are heads
  int64_t original_context = 0;  // before a rotary scaling; 0: the context
};

// What nearly all folders call the same: layers, widths, heads and their width, vocabulary.
void translate_sizes(ConfigJson& config, Translation& t, int64_t default_head_dim = 0);
// The settings that decoders share: translate_sizes(), shared heads, context, rotary base and scaling, norms;
// ignore_training().
void translate_decoder(ConfigJson& config, Translation& t, const DecoderDefaults& defaults = {});

// A router over experts in every layer; counted_by: the keys that may say how many there are, one at least.
void translate_experts(ConfigJson& config, Translation& t,
                       std::initializer_list<std::string_view> counted_by);

// sliding_window, in tokens; `otherwise` where the file has no such key, and 0 is none. Null is none.
void translate_window(ConfigJson& config, Translation& t, int64_t otherwise);
// layer_types: which layers have the sliding window, where the file says.
void translate_layer_types(ConfigJson& config, Translation& t);
// The same of a family whose layers do not all have it: null is refused.
void translate_window_of_some(ConfigJson& config, Translation& t, int64_t otherwise);
// query_pre_attn_scalar; 256 where the file has none, as Gemma's classes have it.
void translate_query_scalar(ConfigJson& config, Translation& t);
// That layer_types, where it is there, says so of every layer.
void require_full_attention(ConfigJson& config);
// The settings of a sliding window that a model of Qwen's has and does not use.
void refuse_windows(ConfigJson& config);
// What is of training, of saving or of generation, not of the network.
void ignore_training(ConfigJson& config);

}  // namespace kelda::models
