// Every malformed safetensors file is refused with its message and in little memory, every well-formed one
// beside it opens. This file replaces operator new for the whole test program, to see the most that is in
// use.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "files/safetensors.h"
#include "malform/cases.h"
#include "malform/check_cases.h"

namespace {

std::atomic<int64_t> in_use{0}, most_in_use{0};

void* allocate_or_null(std::size_t size) noexcept {
  void* memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) return nullptr;
  const int64_t now = in_use += static_cast<int64_t>(::malloc_usable_size(memory));
  int64_t most = most_in_use;
  while (now > most && !most_in_use.compare_exchange_weak(most, now)) {
  }
  return memory;
}
void* allocate(std::size_t size) {
  void* memory = allocate_or_null(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void release(void* memory) noexcept {
  if (memory != nullptr) in_use -= static_cast<int64_t>(::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }

namespace kelda::malform {
namespace {

constexpr int64_t kMostBytes = int64_t{64} << 20;

// Opens it, and sees to the memory that this takes, whether it ends well or not.
Safetensors open_watched(const std::filesystem::path& path) {
  struct Watch {
    const int64_t before = in_use;
    Watch() { most_in_use = before; }
    ~Watch() { EXPECT_LT(most_in_use - before, kMostBytes); }
  };
  const Watch watch;
  return Safetensors::open(path);
}

// BR-082
TEST(MalformedSafetensors, FilesAreRefusedWithTheirReasonInLittleMemory) {
  check_all(safetensors_cases(), open_watched);
}
TEST(MalformedSafetensors, ShardedSetsAreRefusedWithTheirReasonInLittleMemory) {
  check_all(safetensors_index_cases(), open_watched);
}

TEST(MalformedSafetensors, CasesHaveDistinctNamesAndAMessageEach) {
  check_names(safetensors_cases());
  check_names(safetensors_index_cases());
}

}  // namespace
}  // namespace kelda::malform
