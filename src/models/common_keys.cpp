#include "models/common_keys.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/math.h"
#include "base/quote.h"

namespace kelda::models {
namespace {

constexpr double kMaxFactor = 65536;

// The factor of a scaling: under its key, or an older name.
double read_factor(ConfigKeys& k) {
  if (k.has("rope.scale_linear") && !k.has("rope.scaling.factor"))
    return k.number("rope.scale_linear", 1, kMaxFactor);
  const double factor = k.number("rope.scaling.factor", 1, kMaxFactor);
  k.only("rope.scale_linear", factor);
  return factor;
}

// YaRN's magnitude where the file says something of it; 0 where the paper's is meant. attn_factor multiplies,
// yarn_attn_factor replaces, yarn_log_multiplier m divides the paper's by 1 + 0.1 m ln factor.
double read_yarn_magnitude(ConfigKeys& k, double factor, double attn_factor) {
  const double stated = k.number("rope.scaling.yarn_attn_factor", 0, 100, 0);
  const double m = k.number("rope.scaling.yarn_log_multiplier", 0, 100, 0);
  if (stated == 0 && m == 0 && attn_factor == 1) return 0;
  const double log_factor = 0.1 * log_f64(factor);
  return attn_factor * (stated != 0 ? stated : (1 + log_factor) / (1 + m * log_factor));
}

void read_yarn(ConfigKeys& k, const ModelConfig& c, double attn_factor, RopeConfig& rope) {
  rope.original_context = k.integer("rope.scaling.original_context_length", 1, kMaxPositions, c.n_ctx_train);
  rope.beta_fast = k.number("rope.scaling.yarn_beta_fast", 1e-3, 1e6, rope.beta_fast);
  rope.beta_slow = k.number("rope.scaling.yarn_beta_slow", 1e-3, 1e6, rope.beta_slow);
  if (rope.theta <= 1 || rope.beta_slow > rope.beta_fast) {
    fail(ErrorCode::kBadInput, "{} yarn needs {} above 1 and {} no larger than {}",
         k.full("rope.scaling.type"), k.full("rope.freq_base"), k.full("rope.scaling.yarn_beta_slow"),
         k.full("rope.scaling.yarn_beta_fast"));
  }
  k.only("rope.scaling.yarn_ext_factor", 1.0);
  rope.attn_factor = read_yarn_magnitude(k, rope.factor, attn_factor);
}

void read_rope_scaling(ConfigKeys& k, const ModelConfig& c, RopeConfig& rope) {
  // A factor without a type is an older way of saying linear.
  const bool has_factor = k.has("rope.scaling.factor") || k.has("rope.scale_linear");
  const std::string type = k.text("rope.scaling.type", has_factor ? "linear" : "none");
  const double attn_factor = k.number("rope.scaling.attn_factor", 1e-3, 100, 1);
  if (type == "none") {
    k.only("rope.scaling.factor", 1.0);
    k.only("rope.scale_linear", 1.0);
    rope.attn_factor = attn_factor;
  } else if (type == "linear") {
    rope.factor = read_factor(k);
    rope.attn_factor = attn_factor;
    if (rope.factor > 1) rope.scaling = RopeScaling::kLinear;
  } else if (type == "yarn") {
    rope.factor = read_factor(k);
    rope.scaling = RopeScaling::kYarn;
    read_yarn(k, c, attn_factor, rope);
  } else {
    fail(ErrorCode::kUnsupported, "{} is {}; this build runs none, linear and yarn here",
         k.full("rope.scaling.type"), quote(type));
  }
}

void read_rope_base(ConfigKeys& k, ModelConfig& c) {
  c.rope.theta = k.number("rope.freq_base", 1e-3, 1e12, 10000.0);
  c.rope.n_rot = k.integer("rope.dimension_count", 2, c.head_dim, c.head_dim);
  if (c.rope.n_rot % 2 != 0) {
    fail(ErrorCode::kBadInput, "{} is {}: it must be even", k.full("rope.dimension_count"), c.rope.n_rot);
  }
}

}  // namespace

void read_rms_norm(ConfigKeys& k, ModelConfig& c) {
  c.norm = NormKind::kRms;
  c.norm_eps = static_cast<float>(k.number("attention.layer_norm_rms_epsilon", 0, 1));
}

void read_layer_norm(ConfigKeys& k, ModelConfig& c) {
  c.norm = NormKind::kLayer;
  c.norm_eps = static_cast<float>(k.number("attention.layer_norm_epsilon", 0, 1));
}

void read_rope(ConfigKeys& k, ModelConfig& c, bool interleaved) {
  read_rope_base(k, c);
  c.rope.interleaved = interleaved;
  read_rope_scaling(k, c, c.rope);
}

void read_long_rope(ConfigKeys& k, ModelConfig& c) {
  read_rope_base(k, c);
  c.rope.original_context =
      k.integer("rope.scaling.original_context_length", 2, kMaxPositions, c.n_ctx_train);
  c.rope.factor =
      std::max(1.0, static_cast<double>(c.n_ctx_train) / static_cast<double>(c.rope.original_context));
  c.rope.attn_factor = k.number("rope.scaling.attn_factor", 1e-3, 100, 0);
  c.rope.scaling = RopeScaling::kLongRope;
  c.rope.long_factors = c.n_ctx_train > c.rope.original_context;
  const std::string type = k.text("rope.scaling.type", "longrope");
  if (type != "longrope" && type != "none") {
    fail(ErrorCode::kUnsupported, "{} is {}; this build runs longrope here", k.full("rope.scaling.type"),
         quote(type));
  }
}

void read_attention_scale(ConfigKeys& k, ModelConfig& c, int64_t width) {
  c.attention_scale =
      static_cast<float>(k.number("attention.scale", 1e-6, 1e3, 1.0f / std::sqrt(static_cast<float>(width))));
}

void read_windows(ConfigKeys& k, ModelConfig& c, int64_t otherwise, int64_t period) {
  int64_t window = k.integer("attention.sliding_window", 0, std::numeric_limits<uint32_t>::max(), otherwise);
  window = std::min(window, c.n_ctx_train);
  c.windows.assign(c.windows.size(), window);
  if (period == 0) return;
  constexpr std::string_view kPattern = "attention.sliding_window_pattern";
  if (const auto* flags = k.booleans(kPattern)) {
    if (flags->size() != c.windows.size()) {
      fail(ErrorCode::kBadInput, "{} has {} flags for {} layers", k.full(kPattern), flags->size(),
           c.n_layers);
    }
    for (std::size_t i = 0; i < flags->size(); ++i) c.windows[i] = (*flags)[i] ? window : 0;
    return;
  }
  period = k.integer(kPattern, 1, 4096, period);
  for (int64_t i = period - 1; i < c.n_layers; i += period) c.windows[static_cast<std::size_t>(i)] = 0;
}

void read_softcaps(ConfigKeys& k, ModelConfig& c, double attention, double final) {
  constexpr double kMaxCap = 1e6;
  c.attention_softcap = static_cast<float>(k.number("attn_logit_softcapping", 0, kMaxCap, attention));
  c.final_softcap = static_cast<float>(k.number("final_logit_softcapping", 0, kMaxCap, final));
}

void read_pooling(ConfigKeys& k, ModelConfig& c) {
  constexpr Pooling kByNumber[] = {Pooling::kNone, Pooling::kMean, Pooling::kCls};
  const int64_t number = k.integer("pooling_type", 0, 255, 0);
  if (number >= static_cast<int64_t>(std::size(kByNumber))) {
    fail(ErrorCode::kUnsupported, "{} is {}; this build knows 0 (none), 1 (mean) and 2 (first token)",
         k.full("pooling_type"), number);
  }
  c.pooling = kByNumber[number];
  c.unit_length = k.boolean("normalize_embeddings", true);
}

void read_experts(ConfigKeys& k, ModelConfig& c, bool normalised) {
  c.n_experts = k.integer("expert_count", 1, 4096);
  c.n_experts_used = k.integer("expert_used_count", 1, c.n_experts);
  // The first files of Qwen's say it so.
  c.expert_intermediate_size = k.integer("expert_feed_forward_length", 1, 1 << 20,
                                         std::max<int64_t>(1, c.intermediate_size / c.n_experts_used));
  c.norm_topk_prob = k.boolean("expert_weights_norm", normalised);
}

void read_shared_expert(ConfigKeys& k, ModelConfig& c) {
  c.shared_intermediate_size =
      k.integer("expert_shared_feed_forward_length", 1, 1 << 20, c.intermediate_size);
}

}  // namespace kelda::models
