// A complete Llama in a few hundred KiB: random weights from a seed, a byte-level vocabulary of 300 pieces
// with merges and control tokens. The same options give the same bytes on every machine.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "malform/gguf_builder.h"
#include "quant/format.h"

namespace kelda::malform {

struct TinyLlamaOptions {
  std::string format = "f32";  // of the matrices, by FormatSpec::name; norms are f32
  bool tied = true;            // false: the file has its own output.weight
  uint32_t n_layers = 2;
  uint32_t n_ctx = 256;
  uint32_t hidden_size = 64;
  uint32_t n_heads = 4;
  uint32_t n_kv_heads = 2;
  uint32_t intermediate_size = 128;
  uint64_t seed = 1;
};

// The vocabulary: three control tokens, one piece per byte, one per merge.
struct TinyVocabulary {
  std::vector<std::string> pieces, merges;
  std::vector<int32_t> types;
};

inline constexpr uint32_t kTinyEndOfText = 0, kTinyTurnStart = 1, kTinyTurnEnd = 2;
inline constexpr uint32_t kTinyVocabSize = 300;

inline std::string utf8(uint32_t code_point) {  // below U+0800
  if (code_point < 0x80) return std::string(1, static_cast<char>(code_point));
  return {static_cast<char>(0xC0 | code_point >> 6), static_cast<char>(0x80 | (code_point & 0x3F))};
}

inline TinyVocabulary tiny_vocabulary() {
  static constexpr std::array<std::array<std::string_view, 2>, 41> kMerges = {{
      {"Ġ", "t"},  {"Ġ", "a"},  {"h", "e"},  {"i", "n"},  {"r", "e"},  {"o", "n"}, {"Ġt", "he"},
      {"e", "r"},  {"Ġ", "s"},  {"a", "t"},  {"Ġ", "w"},  {"Ġ", "o"},  {"e", "n"}, {"Ġ", "c"},
      {"i", "t"},  {"i", "s"},  {"a", "n"},  {"o", "r"},  {"e", "s"},  {"Ġ", "b"}, {"e", "d"},
      {"Ġ", "f"},  {"in", "g"}, {"Ġ", "p"},  {"o", "u"},  {"Ġa", "n"}, {"a", "l"}, {"a", "r"},
      {"Ġt", "o"}, {"Ġ", "m"},  {"Ġo", "f"}, {"Ġ", "in"}, {"Ġ", "d"},  {"Ġ", "h"}, {"Ġan", "d"},
      {"i", "c"},  {"l", "e"},  {"Ġt", "h"}, {"o", "m"},  {"l", "l"},  {"Ġ", "l"},
  }};
  TinyVocabulary v;
  v.pieces = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
  v.types = {3, 3, 3};
  uint32_t beyond = 0;
  for (uint32_t byte = 0; byte < 256;
       ++byte) {  // printable bytes stand for themselves, the rest for U+0100 and up
    const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
    v.pieces.push_back(utf8(printable ? byte : 256 + beyond++));
  }
  for (const auto& [left, right] : kMerges) {
    v.pieces.push_back(std::string(left) + std::string(right));
    v.merges.push_back(std::string(left) + " " + std::string(right));
  }
  v.types.resize(v.pieces.size(), 1);
  return v;
}

// n_values numbers, uniform in ±range around `centre`, drawn for tensor number `index`.
inline std::vector<float> random_values(uint64_t seed, uint32_t index, std::size_t n_values, float range,
                                        float centre) {
  std::vector<float> out(n_values);
  for (std::size_t i = 0; i < n_values; ++i) {
    const double u = uniform({seed, index, static_cast<uint32_t>(i)}, 0);
    out[i] = centre + range * static_cast<float>(2 * u - 1);
  }
  return out;
}

inline std::string encode(const quant::FormatSpec& format, const std::vector<float>& values, uint64_t cols) {
  const auto row_bytes = static_cast<std::size_t>(quant::row_bytes(format, static_cast<int64_t>(cols)));
  std::string out(values.size() / cols * row_bytes, '\0');
  for (std::size_t r = 0; r < values.size() / cols; ++r) {
    format.quantize(values.data() + r * cols, reinterpret_cast<std::byte*>(out.data()) + r * row_bytes,
                    static_cast<int64_t>(cols));
  }
  return out;
}

// The file as a builder, so that a test can change it before bytes(). Throws if the format is not in this
// build.
inline GgufBuilder make_tiny_llama(const TinyLlamaOptions& o = {}) {
  const quant::FormatSpec* format = quant::find_format(std::string_view(o.format));
  const quant::FormatSpec* f32 = quant::find_format(std::string_view("f32"));
  if (format == nullptr || f32 == nullptr)
    throw std::invalid_argument("no format " + o.format + " in this build");

  GgufBuilder b;
  const TinyVocabulary vocabulary = tiny_vocabulary();
  const uint32_t head_dim = o.hidden_size / o.n_heads;
  b.add("general.architecture", scalar("llama"));
  b.add("general.name", scalar("tiny llama"));
  b.add("llama.block_count", scalar(o.n_layers));
  b.add("llama.context_length", scalar(o.n_ctx));
  b.add("llama.embedding_length", scalar(o.hidden_size));
  b.add("llama.feed_forward_length", scalar(o.intermediate_size));
  b.add("llama.attention.head_count", scalar(o.n_heads));
  b.add("llama.attention.head_count_kv", scalar(o.n_kv_heads));
  b.add("llama.attention.layer_norm_rms_epsilon", scalar(1e-5f));
  b.add("llama.rope.freq_base", scalar(10000.0f));
  b.add("llama.rope.dimension_count", scalar(head_dim));
  b.add("llama.vocab_size", scalar(static_cast<uint32_t>(vocabulary.pieces.size())));
  b.add("tokenizer.ggml.model", scalar("gpt2"));
  b.add("tokenizer.ggml.pre", scalar("smollm"));
  b.add("tokenizer.ggml.tokens", array(vocabulary.pieces));
  b.add("tokenizer.ggml.token_type", array(vocabulary.types));
  b.add("tokenizer.ggml.merges", array(vocabulary.merges));
  b.add("tokenizer.ggml.bos_token_id", scalar(kTinyTurnStart));
  b.add("tokenizer.ggml.eos_token_id", scalar(kTinyTurnEnd));
  b.add("tokenizer.ggml.add_bos_token", scalar(false));
  b.add("tokenizer.chat_template",
        scalar(
            "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + "
            "'<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% "
            "endif %}"));

  uint32_t n_drawn = 0;
  const auto matrix = [&](const std::string& name, uint64_t rows, uint64_t cols) {
    const float range = std::sqrt(3.0f / static_cast<float>(cols));  // variance 1 / cols
    const auto values = random_values(o.seed, n_drawn++, rows * cols, range, 0);
    b.tensors.push_back({name, {cols, rows}, format->gguf_type, encode(*format, values, cols)});
  };
  const auto vector = [&](const std::string& name, uint64_t n) {
    const auto values = random_values(o.seed, n_drawn++, n, 0.25f, 1);
    b.tensors.push_back({name, {n}, f32->gguf_type, encode(*f32, values, n)});
  };
  const uint64_t hidden = o.hidden_size, kv = uint64_t{head_dim} * o.n_kv_heads, inner = o.intermediate_size;
  matrix("token_embd.weight", vocabulary.pieces.size(), hidden);
  for (uint32_t i = 0; i < o.n_layers; ++i) {
    const std::string block = "blk." + std::to_string(i) + ".";
    vector(block + "attn_norm.weight", hidden);
    matrix(block + "attn_q.weight", hidden, hidden);
    matrix(block + "attn_k.weight", kv, hidden);
    matrix(block + "attn_v.weight", kv, hidden);
    matrix(block + "attn_output.weight", hidden, hidden);
    vector(block + "ffn_norm.weight", hidden);
    matrix(block + "ffn_gate.weight", inner, hidden);
    matrix(block + "ffn_up.weight", inner, hidden);
    matrix(block + "ffn_down.weight", hidden, inner);
  }
  vector("output_norm.weight", hidden);
  if (!o.tied) matrix("output.weight", vocabulary.pieces.size(), hidden);
  return b;
}

}  // namespace kelda::malform
