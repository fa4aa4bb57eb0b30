#include "base/thread_pool.h"

#include <system_error>

#include "base/check.h"
#include "base/cpu.h"
#include "base/error.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kelda {
namespace {

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

constexpr int kSpins =
    4000;  // about 50 µs of `pause`, longer than the gap between two regions of a decode step

}  // namespace

// With more threads than processors a spinning thread holds the processor that the one it waits for needs:
// sleep at once.
ThreadPool::ThreadPool(int n_threads)
    : n_threads_(n_threads), spin_limit_(n_threads <= usable_processors() ? kSpins : 20) {
  KELDA_CHECK(n_threads >= 1);
  threads_.reserve(static_cast<std::size_t>(n_threads) - 1);  // nothing but a start can throw below
  try {
    for (int t = 1; t < n_threads; ++t) threads_.emplace_back(&ThreadPool::worker, this, t);
  } catch (const std::system_error& e) {
    const auto started = threads_.size() + 1;
    stop_ = true;
    generation_.fetch_add(1);
    generation_.notify_all();
    for (auto& t : threads_) t.join();
    fail(ErrorCode::kIo, "cannot start thread {} of {}: {}", started + 1, n_threads, e.what());
  }
}

ThreadPool::~ThreadPool() {
  stop_ = true;
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (auto& t : threads_) t.join();
}

void ThreadPool::work(int thread) {
  for (;;) {
    const int64_t item = next_item_.fetch_add(1, std::memory_order_relaxed);
    if (item >= n_items_) return;
    call_(body_, item, thread);
  }
}

void ThreadPool::run_erased(int64_t n_items, Call call, void* body) {
  const FloatEnvironment rounding;
  if (n_items <= 0) return;
  if (n_threads_ == 1 || n_items == 1) {
    for (int64_t i = 0; i < n_items; ++i) call(body, i, 0);
    return;
  }
  call_ = call;
  body_ = body;
  n_items_ = n_items;
  next_item_.store(0, std::memory_order_relaxed);
  n_working_.store(n_threads_ - 1, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_seq_cst);
  if (n_sleeping_.load(std::memory_order_seq_cst) > 0) generation_.notify_all();
  work(0);
  for (int spin = 0;; ++spin) {
    const int32_t left = n_working_.load(std::memory_order_acquire);
    if (left == 0) return;
    if (spin < spin_limit_) {
      pause();
    } else {
      n_working_.wait(left, std::memory_order_acquire);
    }
  }
}

void ThreadPool::worker(int thread) {
  const FloatEnvironment rounding;
  uint32_t seen = 0;
  for (;;) {
    for (int spin = 0; generation_.load(std::memory_order_acquire) == seen; ++spin) {
      if (spin < spin_limit_) {
        pause();
      } else {
        n_sleeping_.fetch_add(1, std::memory_order_seq_cst);
        generation_.wait(seen, std::memory_order_seq_cst);
        n_sleeping_.fetch_sub(1, std::memory_order_relaxed);
      }
    }
    ++seen;
    if (stop_) return;
    work(thread);
    if (n_working_.fetch_sub(1, std::memory_order_acq_rel) == 1) n_working_.notify_one();
  }
}

}  // namespace kelda
