// Files: read at an offset with every length checked, write so that the old file or the new file is there,
// never half.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace kelda {

// A regular file open for reading. Thread-safe: reads carry their own offset.
class File {
 public:
  // Throws kNotFound, or kBadInput for a directory, FIFO or device, or kIo.
  explicit File(const std::filesystem::path& path);
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;

  uint64_t size() const { return size_; }
  const std::filesystem::path& path() const { return path_; }
  // Fills `out` from `offset`. Throws kBadInput naming the offset where the file ends early, kIo on a read
  // error.
  void read(uint64_t offset, std::span<std::byte> out) const;

 private:
  std::filesystem::path path_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

// Links followed; false also where the path cannot be looked at: opening it then says why.
bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);
// Throws kNotFound, saying so, for a symbolic link that leads to nothing or back to itself.
void refuse_broken_link(const std::filesystem::path& path);

// Whole text file, at most max_bytes (kBadInput beyond).
std::string read_text(const std::filesystem::path& path, uint64_t max_bytes);

// A file that is at PATH, whole, once commit() has returned: synced, renamed over what was there, the folder
// synced. Until commit() it has no name, so that nothing is left however the process ends; where the file
// system cannot do that it is PATH.partial-…, which the destructor removes. A link at PATH stays: what it
// leads to is replaced. Throws kIo (a full disk, say) and kBadInput (a device, a link to nothing) naming the
// path.
class AtomicFile {
 public:
  enum class Until {
    kUnnamed,  // where the file system can
    kNamed,    // as on one that cannot
  };
  explicit AtomicFile(const std::filesystem::path& path, Until until = Until::kUnnamed);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  uint64_t written() const { return written_; }
  void commit();

 private:
  std::filesystem::path path_, partial_;
  int fd_ = -1;
  bool named_ = false;  // the partial file has its name
  uint64_t written_ = 0;
};

}  // namespace kelda
