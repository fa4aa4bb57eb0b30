// Rotary positions otherwise than the model's file says: a knob of whoever runs it, for texts longer than the
// model was trained on.
#pragma once

#include <cstdint>
#include <string>

#include "config/metadata.h"
#include "config/model_config.h"

namespace kelda::models {

struct RopeOverride {
  std::string scaling = {};  // "none", "linear" or "yarn"; empty: as the file says
  double factor = 0;         // of linear and yarn: how many times the original context
  double base = 0;           // of the wavelengths; 0: the file's
  int64_t original = 0;      // positions of pre-training; 0: the file's, or else its context

  bool is_set() const { return !scaling.empty() || factor != 0 || base != 0 || original != 0; }
};

// Throws kUsage for a combination that means nothing in any model.
void require_meaning(const RopeOverride& wanted);

// read_config() with rope.* and context_length changed. With a scaling, all that the file says of its own
// goes, tensors of factors too, and the context is the original one times the factor. Throws kUnsupported for
// a model without rotary positions or one that cannot be scaled so, kUsage where the original context is not
// known: has_factors, for the file has factors as tensors and reaches as far as it does by them.
// require_meaning() holds.
ModelConfig config_with_rope(const Metadata& metadata, const RopeOverride& wanted, bool has_factors = false);

// LongRoPE's choice of factors for texts of at most `window` positions, 0: of the model's context. The short
// ones hold where they stay within the original context.
void fit_long_rope(ModelConfig& config, int64_t window);
// Throws kUsage where a window is longer than the factors that were chosen are for.
void require_fitting_rope(const ModelConfig& config, int64_t window);

}  // namespace kelda::models
