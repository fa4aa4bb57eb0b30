// A model file as named tensors and metadata, whatever its container. Shapes here are row-major, last
// dimension contiguous; GGUF's reversed order stays inside files/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/metadata.h"
#include "quant/format.h"

namespace kelda {

struct TensorInfo {
  std::string name;                           // "blk.0.attn_q.weight"
  std::vector<int64_t> shape;                 // 1 to 4 dimensions, each ≥ 1
  const quant::FormatSpec* format = nullptr;  // never null in an open file
  uint32_t gguf_type = 0;                     // format->gguf_type
  uint64_t offset = 0;                        // from the start of its file
  uint64_t bytes = 0;
  uint32_t file = 0;  // which part of a split set, from 0

  int64_t n_elements() const;
  int64_t rows() const { return n_elements() / shape.back(); }
  int64_t cols() const { return shape.back(); }
};

class ModelFile {
 public:
  virtual ~ModelFile() = default;
  virtual const std::filesystem::path& path() const = 0;  // of a split set: its first part
  virtual std::string_view container() const = 0;         // "GGUF v3", "GGUF v3 in 3 files"
  virtual uint64_t file_bytes() const = 0;                // of all parts together
  virtual const Metadata& metadata() const = 0;
  // What errors call them: the file that the metadata is from, and a tensor, quoted, by its name in the file.
  virtual std::filesystem::path metadata_path() const { return path(); }
  virtual std::string shown_name(std::string_view name) const;
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  virtual const TensorInfo* find(std::string_view name) const = 0;
  // Reads bytes [first, first + out.size()) of the tensor's data. Thread-safe.
  virtual void read(const TensorInfo&, uint64_t first, std::span<std::byte> out) const = 0;
};

// Opens and validates a GGUF file (versions 2 and 3), or the whole split set that it is a part of: everything
// a header says is checked before anything of its size is allocated. Throws kNotFound, kBadInput (with the
// byte offset or the key, and the part), kUnsupported. Source: docs/formats/gguf.md.
std::unique_ptr<ModelFile> open_gguf(const std::filesystem::path& path);

}  // namespace kelda
