// How a token came to be drawn, as data: what an explanation and a trace are made of.
#pragma once

#include <string>

#include "sampling/draw_recorder.h"

namespace kelda {

struct DrawReport {
  std::string logits_sha256;  // of the raw logits' bits: float32 in memory order, the whole vocabulary
  sampling::DrawRecord record;
};

}  // namespace kelda
