#include "files/foreign_format.h"

#include <array>

namespace kelda {

std::string_view foreign_format(std::string_view magic) {
  struct Row {
    std::string_view magic, name;
  };
  static constexpr std::array<Row, 8> kRows = {{
      {"GGUF", "a GGUF file"},
      {"FUGG", "GGUF with reversed byte order"},
      {"lmgg", "GGML, an older format without metadata"},
      {"fmgg", "GGMF, an older format without metadata"},
      {"tjgg", "GGJT, an older format without metadata"},
      {"algg", "GGLA, an older adapter format"},
      {"PK\x03\x04", "a zip archive, as PyTorch checkpoints are"},
      {"vers", "text, perhaps a Git LFS pointer to a file that was not downloaded"},
  }};
  for (const Row& row : kRows) {
    if (magic == row.magic) return row.name;
  }
  return {};
}

}  // namespace kelda
