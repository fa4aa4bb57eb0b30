#include "base/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace kelda {
namespace {

void expect_each_item_once(ThreadPool& pool, int64_t n) {
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
  std::atomic<bool> thread_ok{true};
  pool.run(n, [&](int64_t item, int thread) {
    seen[static_cast<std::size_t>(item)].fetch_add(1);
    if (thread < 0 || thread >= pool.n_threads()) thread_ok = false;
  });
  for (const auto& count : seen) ASSERT_EQ(count.load(), 1);
  EXPECT_TRUE(thread_ok);
}

TEST(ThreadPool, RunsEveryItemOnce) {
  for (const int threads : {1, 2, 3, 4, 9}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.n_threads(), threads);
    for (const int64_t n : {0, 1, 2, 3, 7, 64, 1000}) expect_each_item_once(pool, n);
  }
}

TEST(ThreadPool, ManySmallRegionsSeeEachOthersWrites) {
  ThreadPool pool(4);
  std::vector<int64_t> x(8, 0);  // plain memory: each region must see what the one before wrote
  for (int64_t region = 0; region < 20000; ++region) {
    pool.run(8, [&](int64_t item, int) {
      auto& mine = x[static_cast<std::size_t>((item + region) % 8)];
      mine = mine + 1;
    });
  }
  for (const int64_t v : x) EXPECT_EQ(v, 20000);
}

TEST(ThreadPool, MoreThreadsThanProcessorsStillFinish) {
  ThreadPool pool(32);
  for (int i = 0; i < 200; ++i) expect_each_item_once(pool, 50);
}

// The threads must take turns: whoever waits for one that has no processor has to let it have one.
TEST(ThreadPool, EightThreadsOnTwoProcessorsGetManySmallRegionsRight) {
  cpu_set_t all, two;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&two);
  for (std::size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++i) {
    if (CPU_ISSET(i, &all)) CPU_SET(i, &two);
  }
  ASSERT_EQ(::sched_setaffinity(0, sizeof two, &two), 0);  // the pool's threads inherit it
  {
    ThreadPool pool(8);
    std::vector<uint64_t> x(16, 0);  // plain memory: each region must see what the one before wrote
    for (int64_t region = 0; region < 3000; ++region) {
      const int64_t n = 1 + region % 16;
      pool.run(n, [&](int64_t item, int) {
        auto& mine = x[static_cast<std::size_t>((item + region) % 16)];
        mine = 3 * mine + static_cast<uint64_t>(region);
      });
    }
    std::vector<uint64_t> expected(16, 0);
    for (int64_t region = 0; region < 3000; ++region) {
      for (int64_t item = 0; item < 1 + region % 16; ++item) {
        auto& one = expected[static_cast<std::size_t>((item + region) % 16)];
        one = 3 * one + static_cast<uint64_t>(region);
      }
    }
    EXPECT_EQ(x, expected);
  }
  EXPECT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
}

TEST(ThreadPool, WakesUpAfterSleeping) {
  ThreadPool pool(3);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    expect_each_item_once(pool, 30);
  }
}

TEST(ThreadPool, UnevenItemsAreBalanced) {
  ThreadPool pool(2);
  std::atomic<int> by_thread[2] = {0, 0};
  pool.run(40, [&](int64_t item, int thread) {
    by_thread[thread].fetch_add(1);
    if (item == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  });
  EXPECT_EQ(by_thread[0] + by_thread[1], 40);
  EXPECT_TRUE(by_thread[0] == 1 || by_thread[1] == 1) << by_thread[0] << " and " << by_thread[1];
}

TEST(ThreadPool, PoolsInsideItemsOfAnotherPoolWork) {
  ThreadPool outer(3);
  std::atomic<int> total{0};
  outer.run(6, [&](int64_t, int) {
    ThreadPool inner(2);
    inner.run(10, [&](int64_t, int) { total.fetch_add(1); });
  });
  EXPECT_EQ(total.load(), 60);
}

TEST(ThreadPool, StartsAndStopsOften) {
  for (int i = 0; i < 100; ++i) {
    ThreadPool pool(1 + i % 5);
    if (i % 3 != 0) expect_each_item_once(pool, i);
  }
}

#if defined(__x86_64__)
// A host that flushes denormals must not change what items compute, and gets its setting back.
TEST(ThreadPool, ItemsKeepDenormalsWhateverTheHostSet) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | 0x8040u);  // flush to zero, denormals are zero
    const unsigned host = _mm_getcsr() & ~0x3Fu;
    std::atomic<int> wrong{0};
    pool.run(64, [&](int64_t, int) {
      if ((_mm_getcsr() & ~0x3Fu) != 0x1F80u) wrong.fetch_add(1);
    });
    const unsigned after = _mm_getcsr() & ~0x3Fu;
    _mm_setcsr(saved);
    EXPECT_EQ(wrong.load(), 0) << threads;
    EXPECT_EQ(after, host) << threads;
  }
}
#endif

TEST(ThreadPoolDeathTest, NeedsAThread) { EXPECT_DEATH(ThreadPool(0), "n_threads >= 1"); }

}  // namespace
}  // namespace kelda
