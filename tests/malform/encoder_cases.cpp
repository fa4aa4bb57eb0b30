// Encoders that the container's reader accepts and the loader must refuse, and one that is well formed.
#include <limits>
#include <string>

#include "malform/cases.h"
#include "malform/gguf_builder.h"
#include "malform/tiny_bert.h"

namespace kelda::malform {
namespace {

// The tiny encoder after `change`; the error must contain `message`.
template <typename Change>
Case changed(const std::string& name, const std::string& message, Change&& change) {
  GgufBuilder b = make_tiny_bert();
  change(b);
  return {name, Stage::kModel, message.empty() ? 0 : 2, message, b.bytes()};
}

Case key(const std::string& name, const std::string& key, const std::string& value) {
  return changed(name, key, [&](GgufBuilder& b) { b.set(key, value); });
}

}  // namespace

std::vector<Case> encoder_cases() {
  const auto as_it_is = [](GgufBuilder&) {};
  return {
      changed("encoder_is_fine", "", as_it_is),
      changed("encoder_without_pooling_is_fine", "", [](GgufBuilder& b) { b.remove("bert.pooling_type"); }),
      changed("encoder_not_a_number_is_fine", "",
              [](GgufBuilder& b) {
                const float not_a_number = std::numeric_limits<float>::quiet_NaN();
                b.tensor("blk.1.layer_output_norm.bias").data.replace(0, 4, raw(not_a_number));
              }),
      key("encoder_causal", "bert.attention.causal", scalar(true)),
      key("encoder_pooling_last", "bert.pooling_type", scalar(uint32_t{3})),
      key("encoder_pooling_negative", "bert.pooling_type", scalar(int32_t{-1})),
      key("encoder_pooling_string", "bert.pooling_type", scalar("mean")),
      key("encoder_rotary", "bert.rope.freq_base", scalar(10000.0f)),
      key("encoder_token_types_0", "tokenizer.ggml.token_type_count", scalar(uint32_t{0})),
      changed("encoder_token_types_missing", "tokenizer.ggml.token_type_count",
              [](GgufBuilder& b) { b.remove("tokenizer.ggml.token_type_count"); }),
      changed("encoder_token_types_3", "token_types.weight",
              [](GgufBuilder& b) { b.set("tokenizer.ggml.token_type_count", scalar(uint32_t{3})); }),
      changed("encoder_window_beyond_positions", "position_embd.weight",
              [](GgufBuilder& b) { b.set("bert.context_length", scalar(kTinyBertWindow + 1)); }),
      changed("encoder_without_a_bias", "blk.1.attn_k.bias",
              [](GgufBuilder& b) {
                std::erase_if(b.tensors, [](const auto& t) { return t.name == "blk.1.attn_k.bias"; });
              }),
      changed("encoder_with_a_classifier", "cls.weight",
              [](GgufBuilder& b) {
                GgufBuilder::Tensor extra = b.tensor("blk.0.attn_q.weight");
                extra.name = "cls.weight";
                b.tensors.push_back(extra);
              }),
  };
}

}  // namespace kelda::malform
