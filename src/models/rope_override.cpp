#include "models/rope_override.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "models/family.h"

namespace kelda::models {
namespace {

constexpr const char* kOriginal = "rope.scaling.original_context_length";

// All but what the file says of its scaling.
Metadata without_scaling(const Metadata& metadata, const std::string& prefix) {
  Metadata out;
  for (const auto& [key, value] : metadata.items()) {
    if (!key.starts_with(prefix + "rope.scaling.") && key != prefix + "rope.scale_linear")
      out.add(key, value);
  }
  return out;
}

void set_context(Metadata& m, const std::string& prefix, double positions) {
  const double most = std::min(positions, static_cast<double>(kMaxPositions));
  m.set(prefix + "context_length", MetadataValue::Variant(static_cast<uint32_t>(most)));
}

// The metadata of a file that says what is wanted.
Metadata with_rope(const Metadata& metadata, const RopeOverride& wanted) {
  const std::string prefix = metadata.text("general.architecture") + ".";
  Metadata m = wanted.scaling.empty() ? metadata : without_scaling(metadata, prefix);
  if (wanted.base != 0)
    m.set(prefix + "rope.freq_base", MetadataValue::Variant(static_cast<float>(wanted.base)));
  if (wanted.scaling.empty()) return m;
  const int64_t stated = metadata.integer(prefix + "context_length", 1, kMaxPositions);
  const int64_t original =
      wanted.original != 0 ? wanted.original : metadata.integer(prefix + kOriginal, 1, kMaxPositions, stated);
  if (wanted.scaling == "none") {
    set_context(m, prefix, static_cast<double>(original));
    return m;
  }
  m.add(prefix + "rope.scaling.type", MetadataValue::Variant(wanted.scaling));
  m.add(prefix + "rope.scaling.factor", MetadataValue::Variant(static_cast<float>(wanted.factor)));
  m.add(prefix + kOriginal, MetadataValue::Variant(static_cast<uint32_t>(original)));
  set_context(m, prefix, static_cast<double>(original) * wanted.factor);
  return m;
}

}  // namespace

void require_meaning(const RopeOverride& r) {
  const bool stretches = r.scaling == "linear" || r.scaling == "yarn";
  if (!r.scaling.empty() && r.scaling != "none" && !stretches)
    fail(ErrorCode::kUsage, "a rope scaling is none, linear or yarn; got {}", r.scaling);
  if (stretches && r.factor == 0) fail(ErrorCode::kUsage, "rope scaling {} needs a rope factor", r.scaling);
  if (!stretches && r.factor != 0)
    fail(ErrorCode::kUsage, "a rope factor needs a rope scaling: linear or yarn");
  if (r.scaling.empty() && r.original != 0)
    fail(ErrorCode::kUsage, "an original context needs a rope scaling: none, linear or yarn");
}

ModelConfig config_with_rope(const Metadata& metadata, const RopeOverride& wanted, bool has_factors) {
  if (read_config(metadata).rope.n_rot == 0)
    fail(ErrorCode::kUnsupported, "this model has no rotary positions that could be changed");
  const std::string prefix = metadata.text("general.architecture") + ".";
  if (!wanted.scaling.empty() && wanted.original == 0 && has_factors && !metadata.has(prefix + kOriginal)) {
    fail(ErrorCode::kUsage,
         "the file's own rope scaling would go, and the file does not say what context it started from: give "
         "the original context too");
  }
  try {
    ModelConfig config = read_config(with_rope(metadata, wanted));
    config.rope.file_factors = wanted.scaling.empty();
    return config;
  } catch (const Error& e) {  // the file's own settings were in order
    fail(e.code(), "the rope settings that are asked for do not go with this model: {}", e.what());
  }
}

void fit_long_rope(ModelConfig& c, int64_t window) {
  const bool within = window > 0 && window <= c.rope.original_context;
  if (c.rope.scaling == RopeScaling::kLongRope && within) c.rope.long_factors = false;
}

void require_fitting_rope(const ModelConfig& c, int64_t window) {
  const bool is_short = c.rope.scaling == RopeScaling::kLongRope && !c.rope.long_factors;
  if (is_short && window > c.rope.original_context) {
    fail(ErrorCode::kUsage,
         "the model was loaded for texts within its original context of {} positions; a window of {} needs "
         "its long factors",
         c.rope.original_context, window);
  }
}

}  // namespace kelda::models
