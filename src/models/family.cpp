#include "models/family.h"

#include <cmath>

#include "base/error.h"
#include "base/quote.h"

namespace kelda::models {
namespace {

constexpr std::string_view kTokens = "tokenizer.ggml.tokens";

// What a file may say of the arithmetic because it is what runs anyway. A family that can do otherwise reads
// the key itself.
struct NeutralKey {
  std::string_view name;
  ConfigKeys::Neutral value;
};
constexpr NeutralKey kNeutralKeys[] = {
    {"attention.causal", true},   {"attention.sliding_window", int64_t{0}},
    {"expert_count", int64_t{0}}, {"expert_used_count", int64_t{0}},
    {"logit_scale", 1.0},         {"embedding_scale", 1.0},
    {"residual_scale", 1.0},
};

// What describes the training or the file, whatever it says. The first two accompany a rope.scaling.type and
// say nothing without one.
constexpr std::string_view kHarmlessKeys[] = {
    "rope.scaling.original_context_length",
    "rope.scaling.finetuned",
};

void read_heads(ConfigKeys& k, ModelConfig& c) {
  c.n_heads = k.integer("attention.head_count", 1, 65536);
  c.n_kv_heads = k.integer("attention.head_count_kv", 1, 65536, c.n_heads);
  if (c.n_heads % c.n_kv_heads != 0) {
    fail(ErrorCode::kBadInput, "{} is {} and {} is {}: the second must divide the first",
         k.full("attention.head_count"), c.n_heads, k.full("attention.head_count_kv"), c.n_kv_heads);
  }
  if (!k.has("attention.key_length") && c.hidden_size % c.n_heads != 0) {
    fail(ErrorCode::kBadInput, "{} is {} and {} is {}: the second must divide the first",
         k.full("embedding_length"), c.hidden_size, k.full("attention.head_count"), c.n_heads);
  }
  c.head_dim = k.integer("attention.key_length", 1, 4096, c.hidden_size / c.n_heads);
  k.integer("attention.value_length", c.head_dim, c.head_dim, c.head_dim);
  if (c.head_dim % kHeadUnit != 0) {
    fail(ErrorCode::kUnsupported, "{} is {}: this build runs heads of a multiple of {} dimensions",
         k.full("attention.key_length"), c.head_dim, kHeadUnit);
  }
}

// The rows of the embedding: as many as there are tokens, and as vocab_size says where the file has it.
int64_t read_vocab_size(ConfigKeys& k, const Metadata& m) {
  constexpr int64_t kMaxTokens = 1 << 24;
  const auto* tokens = m.strings(kTokens);
  if (tokens == nullptr) return k.integer("vocab_size", 1, kMaxTokens);
  const auto n_tokens = static_cast<int64_t>(tokens->size());
  const int64_t stated = k.integer("vocab_size", 1, kMaxTokens, n_tokens);
  if (stated != n_tokens) {
    fail(ErrorCode::kBadInput, "{} is {}, but {} has {} tokens", k.full("vocab_size"), stated, kTokens,
         n_tokens);
  }
  return n_tokens;
}

// A window that no text leaves is none: its layers join the pool of those that see all. Not where a window
// also says which rotary base a layer has.
void drop_idle_windows(ModelConfig& c) {
  if (c.local_rope) return;
  for (int64_t& window : c.windows)
    if (window >= c.n_ctx_train) window = 0;
}

void account_for_the_rest(ConfigKeys& k, const ModelConfig& c) {
  for (const auto& [name, value] : kNeutralKeys)
    if (!k.was_read(name)) k.only(name, value);
  if (!k.was_read("attention.scale"))
    k.only("attention.scale", 1 / std::sqrt(static_cast<double>(c.head_dim)));
  for (const std::string_view name : kHarmlessKeys) k.ignore(name);
  k.refuse_unread();
}

}  // namespace

const Family* find_family(std::string_view architecture) {
  for (const Family* f : families())
    if (f->name == architecture) return f;
  return nullptr;
}

const Family& find_family(const Metadata& metadata) {
  const std::string& architecture = metadata.text("general.architecture");
  if (const Family* f = find_family(architecture)) return *f;
  std::string known;
  for (const Family* f : families()) known += (known.empty() ? "" : ", ") + std::string(f->name);
  fail(ErrorCode::kUnsupported,
       "architecture {} (general.architecture) is not supported; this build knows: {}", quote(architecture),
       known);
}

ModelConfig read_config(const Metadata& m) {
  const Family& family = find_family(m);
  ConfigKeys k(m, family.name);
  constexpr int64_t kMaxWidth = 1 << 20;

  ModelConfig c;
  c.architecture = family.name;
  c.name = m.text("general.name", family.name);
  c.n_layers = k.integer("block_count", 1, 4096);
  c.hidden_size = k.integer("embedding_length", 1, kMaxWidth);
  c.intermediate_size = k.integer("feed_forward_length", 1, kMaxWidth);
  c.n_ctx_train = k.integer("context_length", 1, kMaxPositions);
  read_heads(k, c);
  c.attention_scale = 1.0f / std::sqrt(static_cast<float>(c.head_dim));
  c.vocab_size = read_vocab_size(k, m);
  c.windows.assign(static_cast<std::size_t>(c.n_layers), 0);
  family.read(k, c);
  drop_idle_windows(c);
  account_for_the_rest(k, c);
  return c;
}

KvShape kv_shape(const ModelConfig& config, KvType type) {
  if (!config.causal) return {type, config.n_kv_heads, config.head_dim, {0}, /*causal=*/false};
  return {type, config.n_kv_heads, config.head_dim, config.windows};
}

}  // namespace kelda::models
