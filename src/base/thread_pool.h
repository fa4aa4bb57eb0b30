// A fixed team of threads that runs one parallel region at a time. Waiting threads spin briefly, then sleep,
// so a region costs about a microsecond while decoding and nothing while idle.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace kelda {

class ThreadPool {
 public:
  // n_threads ≥ 1 counts the caller. Throws kIo if a thread cannot be made.
  explicit ThreadPool(int n_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int n_threads() const { return n_threads_; }

  // Calls body(item, thread) once for every item in [0, n_items), on any thread, in any order; returns when
  // all are done. Items are taken one by one from a counter, so uneven ones balance. `thread` is in [0,
  // n_threads()). The body must not throw and must not call run() again.
  template <typename Body>
  void run(int64_t n_items, Body&& body) {
    using B = std::remove_reference_t<Body>;
    run_erased(
        n_items, [](void* b, int64_t item, int thread) { (*static_cast<B*>(b))(item, thread); },
        const_cast<void*>(static_cast<const void*>(&body)));
  }

 private:
  using Call = void (*)(void*, int64_t, int);
  void run_erased(int64_t n_items, Call call, void* body);
  void work(int thread);
  void worker(int thread);

  // The generation word and the two counters live on lines of their own: threads that poll one must not be
  // slowed by threads that bump another.
  alignas(64) std::atomic<uint32_t> generation_{0};
  alignas(64) std::atomic<int64_t> next_item_{0};
  alignas(64) std::atomic<int32_t> n_working_{0};
  alignas(64) std::atomic<int32_t> n_sleeping_{0};
  Call call_ = nullptr;
  void* body_ = nullptr;
  int64_t n_items_ = 0;
  bool stop_ = false;
  int n_threads_;
  int spin_limit_;
  std::vector<std::thread> threads_;
};

}  // namespace kelda
