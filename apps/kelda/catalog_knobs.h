// The knobs that the catalogue of models recommends, held against those that there are.
#pragma once

#include "hub/catalog.h"

namespace kelda::cli {

// hub::catalog(), once every knob of every entry is known to be one of a request and in its range. Throws
// kBadInput naming the catalogue, the entry and the field. The hub knows no samplers, so it cannot say this
// itself.
const hub::Catalog& catalog_with_known_knobs();

}  // namespace kelda::cli
