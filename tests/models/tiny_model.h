// Writes a tiny model of any family with seeded random weights: the contract tests run one of each. Shapes
// are chosen to be awkward: rows that are no multiple of 16, columns that are no multiple of 64, a few large
// norm weights, so that activations have outliers.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "files/gguf_writer.h"
#include "learned/vocabulary.h"
#include "models/family.h"
#include "models/formula_weights.h"
#include "quant/format.h"
#include "text/byte_alphabet.h"

namespace kelda::testing {

struct TinyOptions {
  std::string_view format = "f32";  // of the matrices whose rows divide by its block
  int64_t n_layers = 2;
  int64_t n_heads = 4, n_kv_heads = 2;
  int64_t n_ctx = 2048;
  uint64_t seed = 1;
  std::vector<Metadata::Item> more = {};  // metadata beyond the family's own tiny instance
};

inline Metadata tiny_metadata(const models::Family& family, const TinyOptions& o) {
  const std::string p = std::string(family.name) + ".";
  Metadata m;
  m.add("general.architecture", MetadataValue::Variant(std::string(family.name)));
  m.add("general.name", MetadataValue::Variant(std::string("tiny")));
  const auto u32 = [&](const std::string& key, int64_t v) {
    m.add(key, MetadataValue::Variant(static_cast<uint32_t>(v)));
  };
  u32(p + "block_count", o.n_layers);
  u32(p + "context_length", o.n_ctx);
  const int64_t block = quant::find_format(o.format)->block_size;  // rows hold whole blocks, even of 256
  u32(p + "embedding_length", std::max<int64_t>(96, block));
  u32(p + "feed_forward_length", std::max<int64_t>(160, block));
  u32(p + "attention.head_count", o.n_heads);
  u32(p + "attention.head_count_kv", o.n_kv_heads);
  u32(p + "attention.key_length", 32);
  u32(p + "attention.value_length", 32);
  const bool layer_norm = std::any_of(family.tiny.begin(), family.tiny.end(), [&](const auto& item) {
    return item.first == p + "attention.layer_norm_epsilon";
  });
  if (!layer_norm) m.add(p + "attention.layer_norm_rms_epsilon", MetadataValue::Variant(1e-5f));
  m.add("tokenizer.ggml.model", MetadataValue::Variant(std::string("gpt2")));
  m.add("tokenizer.ggml.pre", MetadataValue::Variant(std::string("smollm")));
  std::vector<std::string> pieces = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
  std::vector<int32_t> types(pieces.size(), static_cast<int32_t>(TokenType::kControl));
  for (int byte = 0; byte < 256; ++byte)
    pieces.push_back(text::byte_characters()[static_cast<std::size_t>(byte)]);
  pieces.push_back("th");
  pieces.push_back("the");
  types.resize(pieces.size(), static_cast<int32_t>(TokenType::kNormal));
  m.add("tokenizer.ggml.tokens", MetadataValue::Variant(std::move(pieces)));
  m.add("tokenizer.ggml.token_type", MetadataValue::Variant(std::move(types)));
  m.add("tokenizer.ggml.merges", MetadataValue::Variant(std::vector<std::string>{"t h", "th e"}));
  u32("tokenizer.ggml.eos_token_id", 2);
  for (const auto& [key, value] : family.tiny) m.set(key, value);
  for (const auto& [key, value] : o.more) m.set(key, value);
  return m;
}

// The file's path; the caller removes it.
inline std::filesystem::path write_tiny_model(const models::Family& family, const TinyOptions& o) {
  static int n_written = 0;
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("kelda-tiny-{}-{}.gguf", ::getpid(), n_written++);
  const Metadata m = tiny_metadata(family, o);
  const models::Family& f = models::find_family(m);
  TensorList list;
  f.tensors(models::read_config(m), list);
  std::vector<TensorInfo> tensors;
  std::vector<std::vector<std::byte>> data;
  for (const TensorSpec& spec : list.specs()) {
    if (spec.optional || !spec.tied_to.empty()) continue;
    TensorInfo t;
    t.name = spec.name;
    t.shape = spec.shape;
    const auto* wanted = quant::find_format(o.format);
    const bool fits = spec.kind != TensorSpec::Kind::kVector && t.cols() % wanted->block_size == 0;
    t.format = fits ? wanted : quant::find_format(std::string_view("f32"));
    t.gguf_type = t.format->gguf_type;
    const auto stream = static_cast<uint32_t>(tensors.size());
    const double scale =
        spec.kind == TensorSpec::Kind::kVector ? 0.1 : 1.5 / std::sqrt(static_cast<double>(t.cols()));
    std::vector<float> row(static_cast<std::size_t>(t.cols()));
    std::vector<std::byte> bytes;
    std::vector<std::byte> packed(static_cast<std::size_t>(quant::row_bytes(*t.format, t.cols())));
    for (int64_t r = 0; r < t.rows(); ++r) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const auto at = static_cast<uint32_t>(r * t.cols()) + static_cast<uint32_t>(i);
        row[i] = static_cast<float>(scale * normal(o.seed, stream, at));
        if (spec.kind == TensorSpec::Kind::kVector) row[i] += i % 41 == 7 ? 9.0f : 1.0f;
      }
      t.format->quantize(row.data(), packed.data(), t.cols());
      bytes.insert(bytes.end(), packed.begin(), packed.end());
    }
    data.push_back(std::move(bytes));
    tensors.push_back(std::move(t));
  }
  GgufWriter writer(path, m, tensors);
  for (const auto& bytes : data) writer.append(bytes);
  writer.commit();
  return path;
}

}  // namespace kelda::testing
