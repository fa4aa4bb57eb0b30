// A trace with something in every field.
#pragma once

#include <string>

#include "engine/trace.h"

namespace kelda::testing {

inline Trace some_trace() {
  Trace trace;
  trace.program = "0.1.0";
  trace.model = {"smollm2", 18446744073709551615u, std::string(64, 'f')};
  trace.window = 256;
  trace.rope = {"yarn", 2.5, 10000, 128};
  trace.threads = 3;
  trace.instruction_set = "avx2";
  trace.prompt = {1, 0, 299};
  trace.knobs.set_from_json(
      R"({"top_p": 0.1, "temperature": 4.9e-324, "stop": ["END", "\u0000"], "logit_bias": {"7": -1.5},
          "sampler_order": ["top_p", "temperature"], "stop_token_ids": [3], "ignore_eos": true, "max_tokens": 9})",
      "request");
  trace.knobs.set("top_k", int64_t{40}, "house profile");
  trace.seed = 18446744073709551615u;
  trace.steps.push_back({5, 0.3, std::string(64, '0'), {{5, 12.0f}, {299, -0.1f}}});
  trace.steps.push_back({0, std::nullopt, std::string(64, '1'), {}});
  trace.finish = {FinishReason::kStop, StopRule::kStopText, "END", ""};
  return trace;
}

}  // namespace kelda::testing
