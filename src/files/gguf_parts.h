// The files of a split set by their names, and where the head of one of them ends: for those who look for
// parts or fetch them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kelda::gguf {

// Limit of this implementation: every part stays open.
inline constexpr uint32_t kMaxParts = 1024;

struct PartName {
  std::string set;     // "NAME"
  uint32_t no = 0;     // from 0: one less than in the file name
  uint32_t count = 0;  // at least 1
};
// Takes "NAME-00002-of-00003.gguf" apart; nullopt for a name that is not of this form, or with a number that
// is 0 or above the count.
std::optional<PartName> parse_part_name(std::string_view file_name);
// Whether a file name is that of a part which is not the first of its set.
bool is_later_part(std::string_view file_name);
std::string part_name(std::string_view set, uint32_t no, uint32_t count);

// Where the tensors' data begins in one GGUF file, which may be a part without its others; of a file without
// tensors, its end. Throws as open_gguf() does for what is wrong in this file alone.
uint64_t data_begin(const std::filesystem::path& path);

}  // namespace kelda::gguf
