// Writes GGUF version 3. Metadata and tensors keep the order they are given in, so that a file read and
// written again is the same file. The file appears under its name only when it is whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "files/model_file.h"

namespace kelda {

class GgufWriter {
 public:
  // Checks and writes the header; the tensors' name, shape and format count, their offset and bytes are
  // worked out here. Aligned to general.alignment, else to 32. Throws kBadInput for a header that open_gguf()
  // would refuse, kIo.
  GgufWriter(const std::filesystem::path& path, const Metadata& metadata, std::vector<TensorInfo> tensors);

  // The tensors as they will lie in the file.
  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  // The data of all tensors one after the other, in pieces of any size; padding is added here.
  void append(std::span<const std::byte> data);
  // Finishes the file. Throws kInternal if data is missing, kIo. Without it no file is left behind.
  void commit();

 private:
  void write_header(const Metadata& metadata);
  void pad_to_alignment();

  uint32_t alignment_;
  std::vector<TensorInfo> tensors_;
  AtomicFile file_;
  std::size_t current_ = 0;  // tensor that append() is filling
  uint64_t filled_ = 0;      // bytes of it that are there
};

// Fills `out` with bytes [first, first + out.size()) of tensor `index`.
using TensorSource = std::function<void(std::size_t index, uint64_t first, std::span<std::byte> out)>;

// Writes a whole file, asking `source` for pieces of at most 1 MiB in order. Throws as GgufWriter and
// `source` do.
void write_gguf(const std::filesystem::path& path, const Metadata& metadata,
                const std::vector<TensorInfo>& tensors, const TensorSource& source);

}  // namespace kelda
