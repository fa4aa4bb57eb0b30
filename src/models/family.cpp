#include "models/family.h"

#include <limits>

#include "base/error.h"

namespace kelda::models {

const Family& find_family(const Metadata& metadata) {
  const std::string& architecture = metadata.text("general.architecture");
  std::string known;
  for (const Family* f : families()) {
    if (f->name == architecture) return *f;
    known += (known.empty() ? "" : ", ") + std::string(f->name);
  }
  fail(ErrorCode::kUnsupported,
       "architecture '{}' (general.architecture) is not supported; this build knows: {}", architecture,
       known);
}

ModelConfig read_config(const Metadata& m) {
  const Family& family = find_family(m);
  const std::string prefix = std::string(family.name) + ".";
  const auto key = [&](const char* name) { return prefix + name; };
  constexpr int64_t kMaxWidth = 1 << 20;

  ModelConfig c;
  c.architecture = family.name;
  c.name = m.text("general.name", family.name);
  c.n_layers = m.integer(key("block_count"), 1, 4096);
  c.hidden_size = m.integer(key("embedding_length"), 1, kMaxWidth);
  c.intermediate_size = m.integer(key("feed_forward_length"), 1, kMaxWidth);
  c.n_ctx_train = m.integer(key("context_length"), 1, std::numeric_limits<int32_t>::max() / 2);
  c.n_heads = m.integer(key("attention.head_count"), 1, 65536);
  c.n_kv_heads = m.integer(key("attention.head_count_kv"), 1, 65536, c.n_heads);
  if (c.n_heads % c.n_kv_heads != 0) {
    fail(ErrorCode::kBadInput, "{} is {} and {} is {}: the second must divide the first",
         key("attention.head_count"), c.n_heads, key("attention.head_count_kv"), c.n_kv_heads);
  }
  if (!m.has(key("attention.key_length")) && c.hidden_size % c.n_heads != 0) {
    fail(ErrorCode::kBadInput, "{} is {} and {} is {}: the second must divide the first",
         key("embedding_length"), c.hidden_size, key("attention.head_count"), c.n_heads);
  }
  c.head_dim = m.integer(key("attention.key_length"), 1, 4096, c.hidden_size / c.n_heads);
  m.integer(key("attention.value_length"), c.head_dim, c.head_dim, c.head_dim);
  if (c.head_dim % 16 != 0) {
    fail(ErrorCode::kUnsupported, "heads of {} dimensions: this build runs multiples of 16", c.head_dim);
  }
  c.rms_norm_eps = static_cast<float>(m.number(key("attention.layer_norm_rms_epsilon"), 0, 1));
  c.rope.theta = m.number(key("rope.freq_base"), 1e-3, 1e12, 10000.0);
  c.rope.n_rot = m.integer(key("rope.dimension_count"), 2, c.head_dim, c.head_dim);
  if (c.rope.n_rot % 2 != 0) {
    fail(ErrorCode::kBadInput, "{} is {}: it must be even", key("rope.dimension_count"), c.rope.n_rot);
  }
  const auto* tokens = m.strings("tokenizer.ggml.tokens");
  const int64_t n_tokens = tokens != nullptr ? static_cast<int64_t>(tokens->size()) : 0;
  c.vocab_size = tokens != nullptr ? n_tokens : m.integer(key("vocab_size"), 1, 1 << 24);
  c.windows.assign(static_cast<std::size_t>(c.n_layers), 0);
  family.read(m, c);
  return c;
}

KvShape kv_shape(const ModelConfig& config, KvType type) {
  return {type, config.n_kv_heads, config.head_dim, config.windows};
}

}  // namespace kelda::models
