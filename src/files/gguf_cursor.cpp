#include "files/gguf_cursor.h"

#include <algorithm>
#include <cstring>

#include "files/gguf_layout.h"

namespace kelda::gguf {
namespace {
constexpr std::size_t kBufferBytes = 64 * 1024;
}

Cursor::Cursor(const File& file)
    : file_(file), buffer_(static_cast<std::size_t>(std::min<uint64_t>(kBufferBytes, file.size()))) {}

void Cursor::need(uint64_t bytes) const {
  if (bytes > left()) {
    bad(position_, "needs {} bytes here, but only {} are left in the file", bytes, left());
  }
  if (position_ > kMaxHeaderBytes || bytes > kMaxHeaderBytes - position_) {
    bad(position_, "needs {} bytes here, beyond the {} bytes that a header may have", bytes, kMaxHeaderBytes);
  }
}

void Cursor::read(std::span<std::byte> out) {
  need(out.size());
  while (!out.empty()) {
    const uint64_t skip = position_ - buffer_begin_;
    if (skip >= buffer_size_) {
      buffer_begin_ = position_;
      buffer_size_ = static_cast<std::size_t>(std::min<uint64_t>(buffer_.size(), left()));
      file_.read(position_, std::span(buffer_).first(buffer_size_));
      continue;
    }
    const std::size_t n = std::min(out.size(), buffer_size_ - static_cast<std::size_t>(skip));
    std::memcpy(out.data(), buffer_.data() + skip, n);
    out = out.subspan(n);
    position_ += n;
  }
}

std::string Cursor::text(uint64_t max_bytes) {
  const uint64_t at = position_;
  const auto length = number<uint64_t>();
  if (length > left()) {
    bad(at, "holds a string of {} bytes, but only {} are left in the file", length, left());
  }
  if (length > max_bytes) bad(at, "holds a string of {} bytes; at most {} are allowed", length, max_bytes);
  need(length);
  std::string out(static_cast<std::size_t>(length), '\0');
  read(std::as_writable_bytes(std::span(out.data(), out.size())));
  return out;
}

void Cursor::throw_at(uint64_t offset, ErrorCode code, const std::string& message) const {
  fail(code, "{}: byte {}: {} {}", file_.path().string(), offset, subject_, message);
}

}  // namespace kelda::gguf
