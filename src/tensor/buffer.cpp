#include "tensor/buffer.h"

#include <sys/mman.h>

#include <utility>

#include "base/check.h"
#include "base/checked.h"
#include "base/error.h"

namespace kelda {
namespace {
constexpr uint64_t kPage = 4096, kHugePage = 2u << 20;
}

Buffer::Buffer(uint64_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  const uint64_t alignment = bytes >= kHugePage ? kHugePage : kPage;
  const auto wanted = checked_add(bytes, 2 * alignment);
  if (wanted) mapped_ = *wanted / kPage * kPage;
  mapping_ = !wanted ? MAP_FAILED
                     : ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    fail(ErrorCode::kOutOfMemory, "cannot reserve {} bytes of memory", bytes);
  }
  const auto address = reinterpret_cast<uintptr_t>(mapping_);
  data_ = static_cast<std::byte*>(mapping_) + ((alignment - address % alignment) % alignment);
  if (alignment == kHugePage) ::madvise(data_, bytes, MADV_HUGEPAGE);
}

Buffer::~Buffer() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_);
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

void Buffer::discard(uint64_t offset, uint64_t bytes) {
  KELDA_CHECK(offset <= size_ && bytes <= size_ - offset);
  const uint64_t first = (offset + kPage - 1) / kPage * kPage;
  const uint64_t last = (offset + bytes) / kPage * kPage;
  if (first < last) ::madvise(data_ + first, last - first, MADV_DONTNEED);
}

}  // namespace kelda
