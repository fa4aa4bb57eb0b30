// How a pass is run, never what it computes: results do not depend on it.
#pragma once

#include "base/thread_pool.h"
#include "kernels/kernel_table.h"

namespace kelda {

struct Exec {
  ThreadPool& pool;
  const kernels::KernelTable& kernels;
};

}  // namespace kelda
