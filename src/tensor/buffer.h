// Anonymous memory for weights, KV cache and scratch: zero-filled, touched lazily, huge pages where the
// kernel has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kelda {

class Buffer {
 public:
  Buffer() = default;
  // Aligned to 64 bytes (2 MiB when that large). Throws kOutOfMemory.
  explicit Buffer(uint64_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  uint64_t size() const { return size_; }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }
  // Gives the pages of [offset, offset + bytes) back to the system; they read as zero afterwards.
  void discard(uint64_t offset, uint64_t bytes);

 private:
  std::byte* data_ = nullptr;
  uint64_t size_ = 0;
  void* mapping_ = nullptr;
  uint64_t mapped_ = 0;
};

}  // namespace kelda
