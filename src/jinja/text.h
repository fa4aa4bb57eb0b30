// Text that knows who wrote it: a string of UTF-8 and the byte ranges of it that the template wrote
// ("owned"). Every other byte came from the conversation ("input"). What is unknown counts as input, so that
// text of a user can never pass for text of the template: docs/explain/chat-templates.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_span.h"

namespace kelda::jinja {

enum class Provenance : uint8_t { kInput, kOwned };

class Text {
 public:
  Text() = default;
  Text(std::string bytes, Provenance provenance);

  const std::string& bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  // Sorted, not empty, and with a gap between any two.
  const std::vector<ByteSpan>& owned() const { return owned_; }
  // kOwned if every byte of [begin, end) is owned (an empty range is).
  Provenance provenance(std::size_t begin, std::size_t end) const;
  Provenance provenance() const { return provenance(0, size()); }
  // What the text occupies, for the limit on memory.
  std::size_t memory() const { return bytes_.capacity() + owned_.capacity() * sizeof(ByteSpan); }

  void reserve(std::size_t n_bytes) { bytes_.reserve(n_bytes); }
  void append(std::string_view bytes, Provenance provenance);
  void append(const Text& other);
  // Appends [begin, end) of `other`, which is not this.
  void append(const Text& other, std::size_t begin, std::size_t end);
  Text slice(std::size_t begin, std::size_t end) const;
  // The same owners of other bytes, of which there are as many.
  Text with_bytes(std::string bytes) const;
  std::string take_bytes() && { return std::move(bytes_); }

 private:
  void own(std::size_t begin, std::size_t end);

  std::string bytes_;
  std::vector<ByteSpan> owned_;
};

// Of a result that mixes both: owned only if both are.
inline Provenance both(Provenance a, Provenance b) {
  return a == Provenance::kOwned && b == Provenance::kOwned ? Provenance::kOwned : Provenance::kInput;
}

}  // namespace kelda::jinja
