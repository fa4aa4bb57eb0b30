// The 256 characters that byte-level vocabularies write bytes with: printable Latin-1 characters stand for
// themselves, the other 68 bytes for U+0100 onwards ("Ġ" is a blank, "Ċ" a newline).
//   Source: Radford et al. 2019 (GPT-2), section 2.2.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace kelda::text {

// UTF-8 of the character for each byte.
const std::array<std::string, 256>& byte_characters();

// The bytes that a piece such as "Ġthe" is written for; nullopt if it has a character outside the alphabet.
std::optional<std::string> bytes_of_piece(std::string_view piece);

// SentencePiece's other way to write a byte as a piece, "<0x0A>"; nullopt for other pieces.
std::optional<char> byte_of_piece(std::string_view piece);

}  // namespace kelda::text
