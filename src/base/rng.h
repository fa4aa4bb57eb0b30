// Random numbers by counter: the draw is a pure function of (seed, choice, position, draw), so it does not
// depend on what else runs, in which order, or how often it is asked for.
//   Source: Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3" (Philox4x32-10).
#pragma once

#include <array>
#include <cstdint>

namespace kelda {

// Philox4x32 with ten rounds: 128 counter bits and 64 key bits to 128 random bits.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

// What a random draw in sampling depends on, and all it depends on.
struct DrawKey {
  uint64_t seed = 0;
  uint32_t choice = 0;    // which of a request's n answers
  uint32_t position = 0;  // absolute position of the token being drawn
};

// Uniform in [0, 1), a multiple of 2^-53. `draw` numbers the draws made for one token.
double uniform(const DrawKey& key, uint32_t draw);

}  // namespace kelda
