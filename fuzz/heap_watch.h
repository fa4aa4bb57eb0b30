// The most heap that is in use at once. Only for programs with AddressSanitizer and one thread.
#pragma once

#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <cstddef>

namespace kelda::fuzz {

class HeapWatch {
 public:
  // The most in use since the last call of start(), beyond what was in use then.
  static void start() { in_use_ = most_ = 0; }
  static std::ptrdiff_t most() { return most_; }

  static void install() {
    static const int installed = __sanitizer_install_malloc_and_free_hooks(
        [](const volatile void*, std::size_t size) {
          in_use_ += static_cast<std::ptrdiff_t>(size);
          most_ = std::max(most_, in_use_);
        },
        [](const volatile void* memory) {
          if (memory == nullptr) return;
          in_use_ -=
              static_cast<std::ptrdiff_t>(__sanitizer_get_allocated_size(const_cast<const void*>(memory)));
        });
    static_cast<void>(installed);
  }

 private:
  static inline std::ptrdiff_t in_use_ = 0, most_ = 0;
};

}  // namespace kelda::fuzz
