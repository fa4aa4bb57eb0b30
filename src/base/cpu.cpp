#include "base/cpu.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <xmmintrin.h>
#endif

namespace kelda {

std::string_view name(Isa isa) {
  switch (isa) {
    case Isa::kAvx512:
      return "avx512";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kScalar:
      break;
  }
  return "scalar";
}

#if defined(__x86_64__)
namespace {

// __builtin_cpu_supports() of clang 14 does not know the name.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c(); }

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vnni");
}

}  // namespace
#endif

bool available(Isa isa) {
  if (isa == Isa::kScalar) return true;
#if defined(__x86_64__)
  return isa == Isa::kAvx512 ? has_avx512() : has_avx2();
#else
  return false;
#endif
}

Isa choose_isa() {
  const char* forced = std::getenv("KELDA_ISA");
  if (forced == nullptr || *forced == '\0') {
    Isa best = Isa::kScalar;
    for (const Isa isa : kIsas) best = available(isa) ? isa : best;
    return best;
  }
  for (const Isa isa : kIsas) {
    if (name(isa) != forced) continue;
    if (!available(isa)) fail(ErrorCode::kUsage, "KELDA_ISA={}: this processor cannot run it", forced);
    return isa;
  }
  fail(ErrorCode::kUsage, "KELDA_ISA={}: unknown instruction set (known: scalar, avx2, avx512)", forced);
}

namespace {

// The processors of this process's affinity mask; 1 if the kernel does not tell.
int affine_processors() {
  // The kernel refuses a mask shorter than its own, whose length it does not tell.
  for (std::size_t n_sets = 1; n_sets <= 1024; n_sets *= 2) {
    std::vector<cpu_set_t> sets(n_sets);
    const std::size_t bytes = n_sets * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, bytes, sets.data()) == 0) return std::max(1, CPU_COUNT_S(bytes, sets.data()));
    if (errno != EINVAL) break;
  }
  return 1;
}

}  // namespace

int usable_processors() {
  int n = affine_processors();
  std::ifstream quota_file("/sys/fs/cgroup/cpu.max");  // "max 100000" or "150000 100000"
  std::string quota;
  double period = 0;
  if (quota_file >> quota >> period && quota != "max" && period > 0) {
    const double limit = std::strtod(quota.c_str(), nullptr) / period;
    if (limit > 0) n = std::min(n, std::max(1, static_cast<int>(std::ceil(limit))));
  }
  return n;
}

#if defined(__x86_64__)
FloatEnvironment::FloatEnvironment() : saved_(_mm_getcsr()) { _mm_setcsr(0x1F80); }
FloatEnvironment::~FloatEnvironment() { _mm_setcsr(saved_); }
#else
FloatEnvironment::FloatEnvironment() = default;
FloatEnvironment::~FloatEnvironment() = default;
#endif

}  // namespace kelda
