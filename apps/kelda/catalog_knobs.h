// The knobs that the catalogue of models recommends, held against those that there are.
#pragma once

#include "config/knob.h"
#include "hub/catalog.h"

namespace kelda::cli {

// A recommended number as the knob takes it: a whole one goes for a knob of integers.
KnobValue value_for(const Knob& knob, double value);

// hub::catalog(), once every knob of every entry is known to be one of a request and in its range. Throws
// kBadInput naming the catalogue, the entry and the field. The hub knows no samplers, so it cannot say this
// itself.
const hub::Catalog& catalog_with_known_knobs();

}  // namespace kelda::cli
