// How fast this machine reads memory.
#pragma once

#include <cstdint>

#include "base/thread_pool.h"
#include "tensor/buffer.h"

namespace kelda::measure {

// 512 MiB in pages of 2 MiB where the system has them, far more than the processor's caches hold, read 64 MiB
// at a time: a pass is about as long as a decoding step, so that neighbours on the machine disturb both
// alike.
class ReadBandwidth {
 public:
  // Takes and fills the memory, at least 64 MiB. The pool outlives it. Throws kOutOfMemory.
  explicit ReadBandwidth(ThreadPool& pool, uint64_t bytes = uint64_t{512} << 20);

  // Sums up the next 64 MiB (after the last, the first again) on all threads, and gives bytes per second.
  double pass();

 private:
  ThreadPool& pool_;
  Buffer memory_;
  uint64_t next_ = 0;
};

}  // namespace kelda::measure
