// A request and what became of it, kept so that it can be run again and compared. As a file: JSON, described
// in docs/formats/trace.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/request.h"
#include "learned/weights.h"
#include "models/rope_override.h"
#include "sampling/request_knobs.h"

namespace kelda {

inline constexpr int64_t kTraceVersion = 1;
inline constexpr std::size_t kTraceTop = 8;  // logits that are kept of each step
inline constexpr uint64_t kMaxTraceBytes = uint64_t{256} << 20;

struct Trace {
  // Which model it was.
  struct Model {
    std::string name;         // as the user called it
    uint64_t file_bytes = 0;  // of all its files
    std::string fingerprint;  // files/fingerprint.h
  };
  struct Logit {
    TokenId id;
    float logit;
  };
  struct Step {
    TokenId token = 0;
    std::optional<double> uniform;  // the random number; nullopt: greedy
    std::string logits_sha256;
    std::vector<Logit> top;  // of the raw logits the kTraceTop largest, ties by the lowest id
  };
  struct Finish {
    FinishReason reason = FinishReason::kStop;
    StopRule rule = StopRule::kNone;
    std::string stop;   // kStopText: the text
    std::string error;  // kError: what happened
  };

  std::string program;  // the version that wrote it
  Model model;
  // What decides the numbers beside the model and the prompt.
  Compute compute = Compute::kAuto;
  int64_t window = 0;
  models::RopeOverride rope;
  // How it was run, which decides nothing.
  int64_t threads = 1;
  std::string instruction_set;

  std::vector<TokenId> prompt;
  Knobs knobs{sampling::request_knobs()};  // as they were in effect, and where each came from
  uint64_t seed = 0;
  std::vector<Step> steps;
  Finish finish;
};

// The reports must have recorded kTraceTop candidates or more.
Trace::Step trace_step(const DrawReport& report);
Trace::Finish trace_finish(const Event& last);

// The file's text: one line for each step.
std::string trace_text(const Trace& trace);

// Throws kBadInput or kUnsupported naming the field for anything that trace_text() would not write: a field
// that is unknown, missing, of another type or out of its range, another version. Settings that are not named
// have their default.
Trace parse_trace(std::string_view text);

// "0x1.8p+3": exact.
std::string hex_float(float x);

}  // namespace kelda
