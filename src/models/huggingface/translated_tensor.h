// A tensor as a GGUF file would hold it, made of a folder's stored ones while it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "files/safetensors.h"
#include "models/huggingface/huggingface.h"

namespace kelda::models {

struct TranslatedTensor {
  Translated how = Translated::kAsIs;
  std::vector<const StoredTensor*> parts = {};  // one, or the matrices of a stack; all of one shape and dtype
  int64_t head_dim = 0;                         // of kInterleaved
  std::size_t element_bytes = 0;                // of the stored numbers

  // Bytes of the translated tensor; for kPlusOne, whose result is float32, twice those stored at 16 bits.
  uint64_t bytes() const;
  // Its bytes [first, first + out.size()). Thread-safe. Throws kIo.
  void read(const Safetensors& from, uint64_t first, std::span<std::byte> out) const;

 private:
  void read_parts(const Safetensors& from, uint64_t first, std::span<std::byte> out) const;
  void read_plus_one(const Safetensors& from, uint64_t first, std::span<std::byte> out) const;
  void read_interleaved(const Safetensors& from, uint64_t first, std::span<std::byte> out) const;
  void read_transposed(const Safetensors& from, uint64_t first, std::span<std::byte> out) const;
};

}  // namespace kelda::models
