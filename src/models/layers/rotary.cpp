#include "models/layers/rotary.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "base/error.h"
#include "base/math.h"
#include "base/quote.h"

namespace kelda::models {
namespace {

constexpr float kLeastFactor = 1e-3f;  // below it, angles leave the range in which sines are right
constexpr double kTwoPi = 0x1.921fb54442d18p+2;
constexpr std::string_view kFactors = "rope_freqs.weight";
constexpr std::string_view kLong = "rope_factors_long.weight", kShort = "rope_factors_short.weight";

// Dimensions that turn more than beta_fast times within the original context keep their frequency, those that
// turn less than beta_slow times have it divided; the ramp between runs over whole pair numbers.
void stretch_yarn(const RopeConfig& rope, std::vector<double>& frequencies) {
  const auto context = static_cast<double>(rope.original_context), dim = static_cast<double>(rope.n_rot);
  KELDA_CHECK(context > 0 && rope.beta_fast > 0 && rope.beta_slow > 0 && rope.theta > 1);
  const auto pair_that_turns = [&](double times) {
    return dim * log_f64(context / (times * kTwoPi)) / (2 * log_f64(rope.theta));
  };
  const double low = std::max(std::floor(pair_that_turns(rope.beta_fast)), 0.0);
  double high = std::min(std::ceil(pair_that_turns(rope.beta_slow)), dim - 1);
  if (high == low) high += 0.001;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double ramp = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    frequencies[i] = frequencies[i] / rope.factor * ramp + frequencies[i] * (1 - ramp);
  }
}

double magnitude_of(const RopeConfig& rope) {
  if (rope.attn_factor != 0) return rope.attn_factor;
  if (rope.factor <= 1) return 1;
  if (rope.scaling == RopeScaling::kYarn) return 0.1 * log_f64(rope.factor) + 1;
  if (rope.scaling == RopeScaling::kLongRope) {
    return std::sqrt(1 + log_f64(rope.factor) / log_f64(static_cast<double>(rope.original_context)));
  }
  return 1;
}

}  // namespace

ops::RopeFrequencies scaled_frequencies(const RopeConfig& rope, std::span<const float> factors) {
  KELDA_CHECK(rope.factor > 0);
  ops::RopeFrequencies f = ops::rope_frequencies(rope.n_rot, rope.theta);
  if (rope.scaling == RopeScaling::kLinear) {
    for (double& x : f.per_token) x /= rope.factor;
  }
  if (rope.scaling == RopeScaling::kYarn) stretch_yarn(rope, f.per_token);
  KELDA_CHECK(factors.empty() || factors.size() == f.per_token.size());
  for (std::size_t i = 0; i < factors.size(); ++i) f.per_token[i] /= static_cast<double>(factors[i]);
  const bool stretched = rope.scaling != RopeScaling::kLongRope || !factors.empty();
  f.magnitude = stretched ? magnitude_of(rope) : 1;
  return f;
}

void rope_tensors(const ModelConfig& c, TensorList& t) {
  if (c.rope.scaling == RopeScaling::kLongRope) {
    for (const std::string_view list : {kLong, kShort})
      t.optional_vector(list, c.rope.n_rot / 2, "rope factors");
  } else {
    t.optional_vector(kFactors, c.rope.n_rot / 2);
  }
}

bool has_rope_factors(const ModelFile& file) {
  return std::ranges::any_of(std::array{kFactors, kLong, kShort},
                             [&](std::string_view name) { return file.find(name) != nullptr; });
}

std::span<const float> rope_factors(const Weights& w, const RopeConfig& rope) {
  if (!rope.file_factors) return {};
  const bool two_lists = rope.scaling == RopeScaling::kLongRope;
  const std::string_view name = !two_lists ? kFactors : rope.long_factors ? kLong : kShort;
  if (!w.has(name)) return {};
  const std::span<const float> factors = w.vector(name);
  for (const float f : factors) {
    if (f >= kLeastFactor && std::isfinite(f)) continue;
    fail(ErrorCode::kBadInput,
         "tensor {} has a factor of {}; a wavelength's factor is finite and at least {}", quote(name), f,
         kLeastFactor);
  }
  return factors;
}

}  // namespace kelda::models
