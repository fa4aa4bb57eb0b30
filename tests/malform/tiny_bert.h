// A complete BERT in a few dozen KiB: random weights from a seed, a WordPiece vocabulary of letters and a few
// words.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "malform/gguf_builder.h"
#include "malform/tiny_llama.h"

namespace kelda::malform {

inline constexpr uint32_t kTinyBertWindow = 64, kTinyBertHidden = 32;

// The file as a builder, so that a case can change it before bytes().
inline GgufBuilder make_tiny_bert(const std::string& format_name = "f32") {
  const quant::FormatSpec* format = quant::find_format(std::string_view(format_name));
  const quant::FormatSpec* f32 = quant::find_format(std::string_view("f32"));
  std::vector<std::string> pieces = {"[PAD]", "[UNK]", "[CLS]", "[SEP]"};
  std::vector<int32_t> types(pieces.size(), 3);
  const std::string begins = "\u2581";
  for (char c = 'a'; c <= 'z'; ++c) {
    pieces.push_back(begins + c);
    pieces.push_back(std::string(1, c));
  }
  for (const char* word : {"the", "cat", "dog", "sat", "on", "mat", "."}) pieces.push_back(begins + word);
  types.resize(pieces.size(), 1);

  GgufBuilder b;
  const uint32_t n_layers = 2, inner = 64;
  b.add("general.architecture", scalar("bert"));
  b.add("general.name", scalar("tiny bert"));
  b.add("bert.block_count", scalar(n_layers));
  b.add("bert.context_length", scalar(kTinyBertWindow));
  b.add("bert.embedding_length", scalar(kTinyBertHidden));
  b.add("bert.feed_forward_length", scalar(inner));
  b.add("bert.attention.head_count", scalar(uint32_t{2}));
  b.add("bert.attention.layer_norm_epsilon", scalar(1e-12f));
  b.add("bert.attention.causal", scalar(false));
  b.add("bert.pooling_type", scalar(uint32_t{1}));
  b.add("tokenizer.ggml.model", scalar("bert"));
  b.add("tokenizer.ggml.token_type_count", scalar(uint32_t{2}));
  b.add("tokenizer.ggml.tokens", array(pieces));
  b.add("tokenizer.ggml.token_type", array(types));
  b.add("tokenizer.ggml.unknown_token_id", scalar(uint32_t{1}));
  b.add("tokenizer.ggml.bos_token_id", scalar(uint32_t{2}));
  b.add("tokenizer.ggml.eos_token_id", scalar(uint32_t{3}));
  b.add("tokenizer.ggml.add_bos_token", scalar(true));
  b.add("tokenizer.ggml.add_eos_token", scalar(true));

  uint32_t n_drawn = 0;
  const auto matrix = [&](const std::string& name, uint64_t rows, uint64_t cols) {
    const float range = std::sqrt(3.0f / static_cast<float>(cols));  // variance 1 / cols
    const auto values = random_values(2, n_drawn++, rows * cols, range, 0);
    b.tensors.push_back({name + ".weight", {cols, rows}, format->gguf_type, encode(*format, values, cols)});
  };
  const auto vector = [&](const std::string& name, uint64_t n, float centre) {
    b.tensors.push_back(
        {name, {n}, f32->gguf_type, encode(*f32, random_values(2, n_drawn++, n, 0.25f, centre), n)});
  };
  const auto norm = [&](const std::string& name) {
    vector(name + ".weight", kTinyBertHidden, 1);
    vector(name + ".bias", kTinyBertHidden, 0);
  };
  const auto linear = [&](const std::string& name, uint64_t rows, uint64_t cols) {
    matrix(name, rows, cols);
    vector(name + ".bias", rows, 0);
  };
  matrix("token_embd", pieces.size(), kTinyBertHidden);
  matrix("position_embd", kTinyBertWindow, kTinyBertHidden);
  matrix("token_types", 2, kTinyBertHidden);
  norm("token_embd_norm");
  for (uint32_t i = 0; i < n_layers; ++i) {
    const std::string block = "blk." + std::to_string(i) + ".";
    for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output"})
      linear(block + name, kTinyBertHidden, kTinyBertHidden);
    norm(block + "attn_output_norm");
    linear(block + "ffn_up", inner, kTinyBertHidden);
    linear(block + "ffn_down", kTinyBertHidden, inner);
    norm(block + "layer_output_norm");
  }
  return b;
}

}  // namespace kelda::malform
