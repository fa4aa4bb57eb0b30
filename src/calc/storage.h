// How many bytes numbers take in a given format, exactly.
#pragma once

#include <cstdint>

namespace kelda::calc {

// Formats store blocks of values: 1 value in 2 bytes (f16), 32 values in 18 (4 bits each and an fp16 scale).
struct Storage {
  int64_t block_values = 1;
  int64_t block_bytes = 2;

  double bits() const { return 8.0 * static_cast<double>(block_bytes) / static_cast<double>(block_values); }
};

// One value in `sixteenths` / 16 bytes, in lowest terms: 8 is half a byte, 2 values in 1 byte. sixteenths >
// 0.
Storage storage_of(int64_t sixteenths);

// Of n values in whole blocks. Throws kUsage, naming `what`, beyond 64 bits.
uint64_t stored_bytes(const char* what, Storage storage, int64_t n_values);

}  // namespace kelda::calc
