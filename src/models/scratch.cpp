#include "models/scratch.h"

namespace kelda::models {

ops::RopeTable& Scratch::rope(const RopeConfig& config) {
  for (Angles& a : angles_) {
    if (a.theta == config.theta && a.table.n_rot() == config.n_rot) return a.table;
  }
  angles_.push_back({config.theta, ops::RopeTable(config.n_rot, config.theta)});
  return angles_.back().table;
}

uint64_t Scratch::bytes() const {
  uint64_t bytes = input.bytes() + attention.bytes();
  for (const Angles& a : angles_) bytes += a.table.bytes();
  for (const Plane* p : {&hidden, &normed, &q, &attended, &k, &v, &gate, &up, &delta}) bytes += p->bytes();
  return bytes;
}

}  // namespace kelda::models
