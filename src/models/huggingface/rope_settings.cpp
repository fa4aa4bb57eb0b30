#include "models/huggingface/rope_settings.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/math.h"
#include "base/quote.h"
#include "config/model_config.h"

namespace kelda::models {
namespace {

constexpr double kMaxFactor = 65536;
constexpr double kTwoPi = 0x1.921fb54442d18p+2;
constexpr std::string_view kOriginal = "original_max_position_embeddings";

// What the scalings need to know of the model.
struct Rope {
  double theta = 0;
  int64_t n_rot = 0;             // dimensions of a head that are rotated
  int64_t n_ctx = 0;             // positions that the model reaches; a scaling may say more
  int64_t longest_text = 0;      // what models that were stretched say beside n_ctx
  int64_t original_context = 0;  // positions before it was stretched, unless the scaling says
};

int64_t part_of(double share, int64_t head_dim) {
  return static_cast<int64_t>(share * static_cast<double>(head_dim));
}

int64_t original_context(ConfigJson& scaling, const Rope& rope) {
  return scaling.integer(kOriginal, 1, kMaxPositions, rope.original_context);
}

void linear(ConfigJson& scaling, Rope& rope, Translation& t) {
  rope.n_ctx = std::max(rope.n_ctx, rope.longest_text);
  t.set("rope.scaling.type", std::string("linear"));
  t.set_number("rope.scaling.factor", scaling.number("factor", 1, kMaxFactor));
}

// One factor for each pair, as GGUF files carry it. Short wavelengths stay, long ones are divided, and
// between them runs a ramp that is linear in the turns within the original context.
//   Source: Llama Team 2024 (arXiv 2407.21783) and its reference code.
void llama3(ConfigJson& scaling, Rope& rope, Translation& t) {
  const double factor = scaling.number("factor", 1, kMaxFactor);
  const double low = scaling.number("low_freq_factor", 1e-3, 1e6);
  const double high = scaling.number("high_freq_factor", 1e-3, 1e6);
  const int64_t original = scaling.integer(kOriginal, 1, kMaxPositions);
  t.set_integer("rope.scaling.original_context_length", original);  // for who takes another scaling
  const auto context = static_cast<double>(original);
  if (high <= low) {
    fail(ErrorCode::kBadInput, "{} is {} and {} is {}: the second must be larger",
         scaling.full("low_freq_factor"), low, scaling.full("high_freq_factor"), high);
  }
  std::vector<float>& factors = t.tensors["rope_freqs.weight"];
  for (int64_t pair = 0; pair < rope.n_rot / 2; ++pair) {
    const double exponent = 2 * static_cast<double>(pair) / static_cast<double>(rope.n_rot);
    const double turns = context * exp_f64(-exponent * log_f64(rope.theta)) / kTwoPi;
    const double keep = std::clamp((turns - low) / (high - low), 0.0, 1.0);
    factors.push_back(static_cast<float>(1 / ((1 - keep) / factor + keep)));
  }
}

// It reaches factor times the original context, which files that were stretched by hand do not say elsewhere.
void yarn(ConfigJson& scaling, Rope& rope, Translation& t) {
  const double factor = scaling.number("factor", 1, kMaxFactor);
  const int64_t original = original_context(scaling, rope);
  if (rope.theta <= 1) fail(ErrorCode::kBadInput, "rope_theta is {}; yarn needs more than 1", rope.theta);
  scaling.only("truncate", true);
  scaling.ignore("finetuned");
  t.set("rope.scaling.type", std::string("yarn"));
  t.set_number("rope.scaling.factor", factor);
  t.set_integer("rope.scaling.original_context_length", original);
  const double reach = std::min(static_cast<double>(original) * factor, static_cast<double>(kMaxPositions));
  rope.n_ctx = std::max(rope.n_ctx, static_cast<int64_t>(reach));
  const auto stated = [&](const char* theirs, const char* ours, double otherwise) {
    const double value = scaling.number(theirs, 1e-3, 1e6, otherwise);
    if (scaling.has(theirs)) t.set_number(ours, value);
    return value;
  };
  stated("attention_factor", "rope.scaling.yarn_attn_factor", 1);
  const double fast = stated("beta_fast", "rope.scaling.yarn_beta_fast", 32);
  const double slow = stated("beta_slow", "rope.scaling.yarn_beta_slow", 1);
  if (slow > fast) {
    fail(ErrorCode::kBadInput, "{} is {} and {} is {}: the second must be no larger",
         scaling.full("beta_fast"), fast, scaling.full("beta_slow"), slow);
  }
}

// A list of factors for texts within the original context, another for longer ones.
//   Source: Ding et al. 2024 (arXiv 2402.13753).
void longrope(ConfigJson& scaling, Rope& rope, Translation& t) {
  const int64_t original = original_context(scaling, rope);
  if (original < 2) fail(ErrorCode::kBadInput, "{} is {}; at least 2 is required", kOriginal, original);
  const double stretched = static_cast<double>(rope.n_ctx) / static_cast<double>(original);
  const double papers =
      stretched <= 1 ? 1 : std::sqrt(1 + log_f64(stretched) / log_f64(static_cast<double>(original)));
  t.set("rope.scaling.type", std::string("longrope"));
  t.set_integer("rope.scaling.original_context_length", original);
  t.set_number("rope.scaling.attn_factor", scaling.number("attention_factor", 1e-3, 100, papers));
  scaling.ignore("factor");  // the lists say more
  for (const auto& [theirs, ours] : {std::pair("long_factor", "rope_factors_long.weight"),
                                     std::pair("short_factor", "rope_factors_short.weight")}) {
    std::vector<float>& factors = t.tensors[ours];
    for (const double factor : scaling.numbers(theirs, 1e-3, 1e6))
      factors.push_back(static_cast<float>(factor));
    if (static_cast<int64_t>(factors.size()) != rope.n_rot / 2) {
      fail(ErrorCode::kBadInput, "{} has {} factors for {} pairs of dimensions", scaling.full(theirs),
           factors.size(), rope.n_rot / 2);
    }
  }
}

struct Scaling {
  std::string_view name;
  void (*translate)(ConfigJson&, Rope&, Translation&);
};
constexpr Scaling kScalings[] = {
    {"default", [](ConfigJson&, Rope&, Translation&) {}},
    {"linear", linear},
    {"llama3", llama3},
    {"yarn", yarn},
    {"longrope", longrope},
    {"su", longrope},  // its first name
};

void translate_scaling(ConfigJson& scaling, Rope& rope, Translation& t) {
  // The kind has had two names, and some files have both.
  const std::string older = scaling.text("type", "default");
  const std::string name = scaling.text("rope_type", older);
  if (scaling.has("type") && older != name && !(older == "su" && name == "longrope")) {
    fail(ErrorCode::kBadInput, "{} is {} and {} is {}: they must say the same", scaling.full("type"),
         quote(older), scaling.full("rope_type"), quote(name));
  }
  for (const Scaling& known : kScalings) {
    if (known.name != name) continue;
    known.translate(scaling, rope, t);
    return scaling.refuse_unread();
  }
  fail(ErrorCode::kUnsupported, "{} is {}; this build runs default, linear, llama3, yarn and longrope",
       scaling.full("rope_type"), quote(name));
}

// A number that files have beside their rope_parameters, within them, or in both places. beside: what the
// first is, or stands for it.
double agreed(ConfigJson& c, ConfigJson& within, std::string_view key, double lo, double hi, double beside) {
  const double value = within.number(key, lo, hi, beside);
  if (c.has(key) && value != beside) {
    fail(ErrorCode::kBadInput, "{} is {} and {} is {}: they must be the same", c.full(key), beside,
         within.full(key), value);
  }
  return value;
}

}  // namespace

void translate_rope(ConfigJson& c, Translation& t, int64_t head_dim, double default_base,
                    int64_t default_original) {
  if (c.has("rope_parameters") && c.has("rope_scaling"))
    fail(ErrorCode::kBadInput,
         "rope_parameters and rope_scaling are both there; which one holds is not clear");
  Rope rope;
  rope.theta = c.number("rope_theta", 1e-3, 1e12, default_base);
  double rotated = c.number("partial_rotary_factor", 1e-3, 1, 1);
  rope.n_ctx = c.integer("max_position_embeddings", 1, kMaxPositions);
  rope.longest_text = c.integer("max_sequence_length", 1, kMaxPositions, rope.n_ctx);
  rope.original_context =
      c.integer(kOriginal, 1, kMaxPositions, default_original != 0 ? default_original : rope.n_ctx);
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    auto parameters = c.object(key);
    if (!parameters) continue;
    // Models with two kinds of attention have an object for each.
    if (auto sliding = parameters->object("sliding_attention")) {
      t.set_number("rope.freq_base_swa", sliding->number("rope_theta", 1e-3, 1e12));
      sliding->only_text("rope_type", {"default"});
      sliding->refuse_unread();
    }
    auto full = parameters->object("full_attention");
    if (full) parameters->refuse_unread();
    ConfigJson& scaling = full ? *full : *parameters;
    rope.theta = agreed(c, scaling, "rope_theta", 1e-3, 1e12, rope.theta);
    rotated = agreed(c, scaling, "partial_rotary_factor", 1e-3, 1, rotated);
    if (c.has(kOriginal))
      agreed(c, scaling, kOriginal, 1, kMaxPositions, static_cast<double>(rope.original_context));
    rope.n_rot = part_of(rotated, head_dim);
    translate_scaling(scaling, rope, t);
  }
  t.set_integer("context_length", rope.n_ctx);
  t.set_number("rope.freq_base", rope.theta);
  if (part_of(rotated, head_dim) % 2 != 0) {
    fail(ErrorCode::kBadInput, "partial_rotary_factor is {}: of {} dimensions that is {}, an odd number",
         rotated, head_dim, part_of(rotated, head_dim));
  }
  if (rotated != 1) t.set_integer("rope.dimension_count", part_of(rotated, head_dim));
}

}  // namespace kelda::models
