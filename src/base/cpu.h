// Which instruction set the kernels run on: the best that the machine has, or what KELDA_ISA forces.
#pragma once

#include <array>
#include <string_view>

namespace kelda {

enum class Isa { kScalar, kAvx2, kAvx512 };
inline constexpr std::array kIsas = {Isa::kScalar, Isa::kAvx2, Isa::kAvx512};  // the slowest first

std::string_view name(Isa isa);

// True if this machine and its operating system can run `isa`. AVX2 means AVX2, FMA and F16C; AVX-512 means
// these and its parts F, BW, DQ, VL and VNNI.
bool available(Isa isa);

// KELDA_ISA=scalar|avx2|avx512 if set, else the best available. Throws kUsage for an unknown or unavailable
// name.
Isa choose_isa();

// Processors this process may use: affinity mask and cgroup quota counted, at least 1.
int usable_processors();

// While alive, the calling thread rounds to nearest and keeps denormals (MXCSR 0x1F80); restores what was
// there. A host process may have set flush-to-zero, which would change results: docs/adr/0009-equal-bits.md.
class FloatEnvironment {
 public:
  FloatEnvironment();
  ~FloatEnvironment();
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  unsigned saved_ = 0;
};

}  // namespace kelda
