// The safetensors container: a JSON header that names the tensors, and their bytes. One file, or the several
// of a sharded model. Which model they are of, it does not say: that is in config.json beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kelda {

// Whether the folder holds a file or an index that Safetensors::open() would begin with.
bool has_safetensors(const std::filesystem::path& folder);

class File;

struct StoredTensor {
  std::string name;            // "model.layers.0.self_attn.q_proj.weight"
  std::string dtype;           // "BF16"; one of those that the format defines
  std::vector<int64_t> shape;  // row-major, each ≥ 0; empty for a single number
  uint32_t file = 0;           // which of the files
  uint64_t offset = 0;         // from the start of that file
  uint64_t bytes = 0;
};

class Safetensors {
 public:
  // A .safetensors file; a *.safetensors.index.json with the files that it names; or a folder with
  // model.safetensors.index.json or else model.safetensors. Everything the headers say is checked, against
  // each other and the files' sizes, before anything of its size is allocated; no tensor is read.
  //   Throws kNotFound, kBadInput (the file, and the byte offset or the tensor's name), kUnsupported.
  //   Source: docs/formats/safetensors.md.
  static Safetensors open(const std::filesystem::path& path);
  ~Safetensors();
  Safetensors(Safetensors&&) noexcept;
  Safetensors& operator=(Safetensors&&) noexcept;

  const std::vector<StoredTensor>& tensors() const { return tensors_; }  // sorted by name
  const StoredTensor* find(std::string_view name) const;
  // Reads bytes [first, first + out.size()) of the tensor's data. Thread-safe.
  void read(const StoredTensor&, uint64_t first, std::span<std::byte> out) const;
  const std::filesystem::path& path_of(const StoredTensor&) const;  // the file that holds it
  uint64_t file_bytes() const;                                      // of all files together
  std::size_t n_files() const { return files_.size(); }
  // __metadata__ of the first file.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  Safetensors();
  std::vector<std::unique_ptr<const File>> files_;
  std::vector<StoredTensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace kelda
