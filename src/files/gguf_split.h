// Split sets: one model in several files, NAME-00001-of-00003.gguf and so on. Every part says in its metadata
// which one it is, of how many, and how many tensors they hold together; the first one has the model's
// metadata.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/metadata.h"
#include "files/gguf_reader.h"

namespace kelda::gguf {

inline constexpr std::string_view kSplitNo = "split.no";  // from 0
inline constexpr std::string_view kSplitCount = "split.count";
inline constexpr std::string_view kSplitTensors = "split.tensors.count";

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
std::string part_name(std::string_view set, uint32_t no, uint32_t count);

// All parts of the set that `opened` is one of, in their order; that part alone if it is a whole file. Throws
// as open_gguf() does, naming the part: one that is missing, that is of another set, or whose keys contradict
// its name or the first part's.
std::vector<Part> whole_set(Part opened);

}  // namespace kelda::gguf
