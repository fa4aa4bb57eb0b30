#include "text/byte_alphabet.h"

#include <charconv>
#include <cstdint>

#include "base/utf8.h"

namespace kelda::text {
namespace {

constexpr uint32_t kBeyond = 0x100;  // where the bytes without a printable character go
constexpr uint32_t kAlphabetEnd = kBeyond + 68;

bool stands_for_itself(uint32_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

std::array<uint32_t, 256> code_points() {
  std::array<uint32_t, 256> out{};
  uint32_t next = kBeyond;
  for (uint32_t b = 0; b < 256; ++b) out[b] = stands_for_itself(b) ? b : next++;
  return out;
}

// Byte of each code point below kAlphabetEnd, −1 where there is none.
std::array<int, kAlphabetEnd> inverse() {
  std::array<int, kAlphabetEnd> out{};
  out.fill(-1);
  const auto forward = code_points();
  for (int b = 0; b < 256; ++b) out[forward[static_cast<std::size_t>(b)]] = b;
  return out;
}

}  // namespace

const std::array<std::string, 256>& byte_characters() {
  static const std::array<std::string, 256> all = [] {
    std::array<std::string, 256> out;
    const auto points = code_points();
    for (std::size_t b = 0; b < 256; ++b) append_utf8(points[b], out[b]);
    return out;
  }();
  return all;
}

std::optional<std::string> bytes_of_piece(std::string_view piece) {
  static const auto bytes = inverse();
  std::string out;
  while (!piece.empty()) {
    const Utf8Sequence s = next_utf8(piece);
    if (s.kind != Utf8Sequence::Kind::kCharacter || s.code_point >= kAlphabetEnd) return std::nullopt;
    const int byte = bytes[s.code_point];
    if (byte < 0) return std::nullopt;
    out.push_back(static_cast<char>(byte));
    piece.remove_prefix(s.length);
  }
  return out;
}

std::optional<char> byte_of_piece(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return std::nullopt;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(piece.data() + 3, piece.data() + 5, value, 16);
  if (error != std::errc() || end != piece.data() + 5) return std::nullopt;
  return static_cast<char>(value);
}

}  // namespace kelda::text
