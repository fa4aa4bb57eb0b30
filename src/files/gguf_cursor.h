// Reads a GGUF header from front to back through a bounded buffer. Every length is compared with what is left
// of the file before anything of that length is allocated, and every fault names the byte where it was found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace kelda::gguf {

class Cursor {
 public:
  explicit Cursor(const File& file);

  uint64_t position() const { return position_; }
  uint64_t left() const { return file_.size() - position_; }

  // What is being read, for messages: "metadata key \"general.name\"".
  void set_subject(std::string subject) { subject_ = std::move(subject); }
  const std::string& subject() const { return subject_; }

  // Throws kBadInput unless `bytes` more bytes are in the file and in the limit of a header.
  void need(uint64_t bytes) const;
  void read(std::span<std::byte> out);

  template <typename T>
  T number() {
    T value;
    read(std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  // A u64 length and that many bytes, at most max_bytes.
  std::string text(uint64_t max_bytes);

  // Throws Error{code}: "PATH: byte OFFSET: SUBJECT MESSAGE".
  template <typename... Args>
  [[noreturn]] void fail_at(uint64_t offset, ErrorCode code, fmt::format_string<Args...> format,
                            Args&&... args) const {
    throw_at(offset, code, fmt::format(format, std::forward<Args>(args)...));
  }
  template <typename... Args>
  [[noreturn]] void bad(uint64_t offset, fmt::format_string<Args...> format, Args&&... args) const {
    throw_at(offset, ErrorCode::kBadInput, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  [[noreturn]] void throw_at(uint64_t offset, ErrorCode code, const std::string& message) const;

  const File& file_;
  std::string subject_;
  uint64_t position_ = 0;
  std::vector<std::byte> buffer_;  // bytes [buffer_begin_, buffer_begin_ + buffer_size_) of the file
  uint64_t buffer_begin_ = 0;
  std::size_t buffer_size_ = 0;
};

}  // namespace kelda::gguf
