#include "calc/roofline.h"

#include <algorithm>

namespace kelda::calc {

double part_seconds(const Part& part, double bytes_per_s, int64_t batch) {
  const double reading = part.bytes(batch) / bytes_per_s;
  const double multiplying = part.macs_per_s > 0 ? part.macs(batch) / part.macs_per_s : 0;
  return std::max(reading, multiplying) + part.fixed_seconds;
}

double step_seconds(std::span<const Part> parts, double bytes_per_s, int64_t batch) {
  double seconds = 0;
  for (const Part& part : parts) seconds += part_seconds(part, bytes_per_s, batch);
  return seconds;
}

Bends bends(std::span<const Part> parts, double bytes_per_s) {
  double shared = 0, own = 0, multiplying = 0;  // multiplying: seconds for one sequence, of shared weights
  for (const Part& part : parts) {
    shared += part.shared_bytes;
    own += part.sequence_bytes;
    if (part.shared_bytes > 0 && part.macs_per_s > 0) multiplying += part.sequence_macs / part.macs_per_s;
  }
  Bends result;
  if (own > 0) result.by_caches = shared / own;
  if (multiplying > 0) result.by_arithmetic = shared / bytes_per_s / multiplying;
  return result;
}

}  // namespace kelda::calc
