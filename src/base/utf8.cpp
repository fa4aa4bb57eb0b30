#include "base/utf8.h"

#include <cstring>

#include "base/check.h"

namespace kelda {
namespace {

// What may follow a lead byte: how many bytes in all, and the range of the second one. The narrowed ranges
// keep out overlong forms, surrogates and what lies above U+10FFFF; all further bytes are 80..BF.
struct Lead {
  uint32_t length;  // 0: no character begins so
  uint8_t lo, hi;
};

Lead lead(uint8_t b) {
  if (b < 0xC2) return {0, 0, 0};
  if (b < 0xE0) return {2, 0x80, 0xBF};
  if (b == 0xE0) return {3, 0xA0, 0xBF};
  if (b == 0xED) return {3, 0x80, 0x9F};
  if (b < 0xF0) return {3, 0x80, 0xBF};
  if (b == 0xF0) return {4, 0x90, 0xBF};
  if (b < 0xF4) return {4, 0x80, 0xBF};
  if (b == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

Utf8Sequence next_utf8(std::string_view bytes) {
  using Kind = Utf8Sequence::Kind;
  const auto byte = [&](std::size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return {Kind::kCharacter, 1, first};
  const Lead l = lead(first);
  if (l.length == 0) return {Kind::kIllFormed, 1, 0};
  uint32_t code_point = first & (0x7Fu >> l.length);
  for (uint32_t i = 1; i < l.length; ++i) {
    if (i == bytes.size()) return {Kind::kUnfinished, i, 0};
    const uint8_t lo = i == 1 ? l.lo : 0x80, hi = i == 1 ? l.hi : 0xBF;
    if (byte(i) < lo || byte(i) > hi) return {Kind::kIllFormed, i, 0};
    code_point = code_point << 6 | (byte(i) & 0x3Fu);
  }
  return {Kind::kCharacter, l.length, code_point};
}

std::optional<std::size_t> first_invalid_utf8(std::string_view bytes) {
  constexpr uint64_t kHighBits = 0x8080808080808080u;
  std::size_t i = 0;
  while (i < bytes.size()) {
    uint64_t eight;
    if (bytes.size() - i >= sizeof eight) {
      std::memcpy(&eight, bytes.data() + i, sizeof eight);
      if ((eight & kHighBits) == 0) {
        i += sizeof eight;
        continue;
      }
    }
    const Utf8Sequence s = next_utf8(bytes.substr(i));
    if (s.kind != Utf8Sequence::Kind::kCharacter) return i;
    i += s.length;
  }
  return std::nullopt;
}

void append_utf8(uint32_t c, std::string& out) {
  KELDA_CHECK(c < 0x110000);
  const auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  const auto tail = [&](int shift) { put(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6), tail(0);
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12), tail(6), tail(0);
  } else {
    put(0xF0 | c >> 18), tail(12), tail(6), tail(0);
  }
}

}  // namespace kelda
