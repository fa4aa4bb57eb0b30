#include "calc/storage.h"

#include <numeric>

#include "calc/exact.h"

namespace kelda::calc {

Storage storage_of(int64_t sixteenths) {
  const int64_t common = std::gcd(sixteenths, int64_t{16});
  return {16 / common, sixteenths / common};
}

uint64_t stored_bytes(const char* what, Storage storage, int64_t n_values) {
  const int64_t blocks = n_values / storage.block_values + (n_values % storage.block_values != 0);
  return product(what, {blocks, storage.block_bytes});
}

}  // namespace kelda::calc
