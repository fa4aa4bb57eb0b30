// The least time that a decoding step can take: what it must read at the memory's speed, what it must
// multiply at the processor's.
//   Source: Williams, Waterman and Patterson 2009, "Roofline", CACM 52(4); a part at a time, since the parts
//   of a step follow each other.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace kelda::calc {

// A part of a step that reads and multiplies at the same time.
struct Part {
  std::string name;           // "q4_1 weights"
  double shared_bytes = 0;    // read once a step, whatever the batch
  double sequence_bytes = 0;  // read for each sequence of the batch
  double sequence_macs = 0;   // multiply-adds for each sequence
  double macs_per_s = 0;      // that the machine does of these; 0 = not limited by them
  double fixed_seconds = 0;   // beside those, whatever is read

  double bytes(int64_t batch) const { return shared_bytes + sequence_bytes * static_cast<double>(batch); }
  double macs(int64_t batch) const { return sequence_macs * static_cast<double>(batch); }
};

// max(bytes / bandwidth, multiply-adds / rate) + fixed.
double part_seconds(const Part& part, double bytes_per_s, int64_t batch);
// One token for each sequence: the sum over the parts.
double step_seconds(std::span<const Part> parts, double bytes_per_s, int64_t batch);

// Where throughput bends: beyond these batches another sequence brings less than the ones before. 0 where
// nothing makes it bend.
struct Bends {
  double by_caches = 0;      // the caches read as much as the weights
  double by_arithmetic = 0;  // multiplying the weights takes as long as reading them
};
Bends bends(std::span<const Part> parts, double bytes_per_s);

}  // namespace kelda::calc
