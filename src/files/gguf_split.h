// Split sets: one model in several files, NAME-00001-of-00003.gguf and so on. Every part says in its metadata
// which one it is, of how many, and how many tensors they hold together; the first one has the model's
// metadata.
#pragma once

#include <string_view>
#include <vector>

#include "files/gguf_parts.h"
#include "files/gguf_reader.h"

namespace kelda::gguf {

inline constexpr std::string_view kSplitNo = "split.no";  // from 0
inline constexpr std::string_view kSplitCount = "split.count";
inline constexpr std::string_view kSplitTensors = "split.tensors.count";

// All parts of the set that `opened` is one of, in their order; that part alone if it is a whole file. Throws
// as open_gguf() does, naming the part: one that is missing, that is of another set, or whose keys contradict
// its name or the first part's.
std::vector<Part> whole_set(Part opened);

}  // namespace kelda::gguf
