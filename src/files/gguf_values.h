// Metadata values of GGUF: bytes to MetadataValue and back.
#pragma once

#include <string>

#include "config/metadata.h"
#include "files/gguf_cursor.h"

namespace kelda::gguf {

// Reads a type id and a value of that type. Throws kBadInput with the byte offset: unknown types, arrays of
// arrays, counts that cannot fit, booleans other than 0 and 1.
MetadataValue read_value(Cursor& in);

// Appends the type id and the value, as read_value() reads them. Throws kBadInput for strings and arrays
// beyond the limits of gguf_layout.h.
void append_value(std::string& out, const MetadataValue& value);

// Appends the bytes of a number, or of a string with its length before it.
template <typename T>
void append_number(std::string& out, T value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
void append_text(std::string& out, std::string_view text);

}  // namespace kelda::gguf
