#include "models/scratch.h"

namespace kelda::models {

uint64_t Scratch::bytes() const {
  uint64_t bytes =
      input.bytes() + attention.bytes() + angles.bytes() + local_angles.bytes() + choices.bytes();
  for (const Plane* p :
       {&hidden, &normed, &q, &attended, &k, &v, &gate, &up, &delta, &router, &expert_in, &expert_out}) {
    bytes += p->bytes();
  }
  return bytes;
}

}  // namespace kelda::models
