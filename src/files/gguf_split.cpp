#include "files/gguf_split.h"

#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/naming.h"
#include "base/quote.h"
#include "files/gguf_layout.h"

namespace kelda::gguf {
namespace {

namespace fs = std::filesystem;

template <typename... Args>
[[noreturn]] void bad(const Part& part, fmt::format_string<Args...> format, Args&&... args) {
  fail(ErrorCode::kBadInput, "{}: {}", part.file.path().string(),
       fmt::format(format, std::forward<Args>(args)...));
}

struct SplitKeys {
  uint32_t no = 0;
  uint32_t count = 0;     // 0 and 1: a whole file
  int64_t n_tensors = 0;  // of all parts
};

SplitKeys read_keys(const Metadata& metadata, std::size_t n_tensors_here) {
  const auto n = static_cast<int64_t>(n_tensors_here);
  const int64_t count = metadata.integer(kSplitCount, 0, std::numeric_limits<uint16_t>::max(), 0);
  if (count > 1) {
    return {static_cast<uint32_t>(metadata.integer(kSplitNo, 0, count - 1)), static_cast<uint32_t>(count),
            metadata.integer(kSplitTensors, 0, kMaxTensors)};
  }
  metadata.integer(kSplitNo, 0, 0, 0);
  if (count == 1) metadata.integer(kSplitTensors, n, n, n);
  return {0, static_cast<uint32_t>(count), n};
}

SplitKeys keys_of(const Part& part) {
  return naming(part.file.path(), [&] { return read_keys(part.metadata, part.tensors.size()); });
}

// A file's name says that the part is number `no` of `count`.
void check_place(const Part& part, const SplitKeys& keys, uint32_t no, uint32_t count) {
  if (keys.no == no && keys.count == count) return;
  bad(part, "the file's name says part {} of {}, but its metadata says part {} of {}", no + 1, count,
      keys.no + 1, keys.count);
}

// The name of the file that holds `part`, which agrees with its keys.
PartName name_of(const Part& part, const SplitKeys& keys) {
  const std::string file_name = part.file.path().filename().string();
  auto name = parse_part_name(file_name);
  if (!name) {
    bad(part,
        "metadata key {} is {}: part {} of {} must be in a file whose name ends in {}, so that the others "
        "can be found",
        quote(kSplitCount), keys.count, keys.no + 1, keys.count, quote(part_name("", keys.no, keys.count)));
  }
  check_place(part, keys, name->no, name->count);
  return std::move(*name);
}

// `asked`: the name of the part that the set was opened by.
Part open_part(const fs::path& path, uint32_t no, std::string_view asked) {
  try {
    return read_part(path);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kNotFound) throw;
    fail(ErrorCode::kNotFound, "{}: no such file; it is part {} of the set that {} belongs to", path.string(),
         no + 1, asked);
  }
}

// What a later part says must be what the first one says.
void check_same_set(const Part& part, const SplitKeys& keys, uint32_t no, const Part& first,
                    const SplitKeys& first_keys) {
  if (keys.count < 2) bad(part, "its metadata says that it is a whole file, not part {} of a set", no + 1);
  check_place(part, keys, no, first_keys.count);
  const std::string first_name = first.file.path().filename().string();
  if (keys.n_tensors != first_keys.n_tensors) {
    bad(part, "metadata key {} is {}, but {} in {}: they are parts of different sets", quote(kSplitTensors),
        keys.n_tensors, first_keys.n_tensors, first_name);
  }
  if (part.version != first.version) {
    bad(part, "is of GGUF version {}, but {} is of version {}: they are parts of different sets",
        part.version, first_name, first.version);
  }
  for (const auto& [key, value] : part.metadata.items()) {
    if (key == kSplitNo || key == kSplitCount || key == kSplitTensors || key == kAlignmentKey) continue;
    const MetadataValue* other = first.metadata.find(key);
    if (other == nullptr) bad(part, "metadata key {} is not in the first part, {}", quote(key), first_name);
    if (other->variant() != value.variant()) {
      bad(part, "metadata key {} has another value than in {}: they are parts of different sets", quote(key),
          first_name);
    }
  }
}

}  // namespace

std::vector<Part> whole_set(Part opened) {
  std::vector<Part> parts;
  const SplitKeys keys = keys_of(opened);
  if (keys.count < 2) {
    const auto name = parse_part_name(opened.file.path().filename().string());
    if (name && name->count > 1 && opened.metadata.has(std::string(kSplitCount)))
      bad(opened, "the file's name says part {} of {}, but metadata key {} is {}", name->no + 1, name->count,
          quote(kSplitCount), keys.count);
    parts.push_back(std::move(opened));
    return parts;
  }
  if (keys.count > kMaxParts) {
    bad(opened, "metadata key {} is {}; at most {} parts are allowed", quote(kSplitCount), keys.count,
        kMaxParts);
  }
  const PartName name = name_of(opened, keys);
  const fs::path asked = opened.file.path();
  std::optional<Part> given = std::move(opened);  // until its turn comes
  SplitKeys first_keys = keys;
  int64_t n_tensors = 0;
  for (uint32_t no = 0; no < keys.count; ++no) {
    Part part = no == keys.no ? std::move(*given)
                              : open_part(asked.parent_path() / part_name(name.set, no, name.count), no,
                                          asked.filename().string());
    const SplitKeys part_keys = keys_of(part);
    if (no == 0) first_keys = part_keys;
    check_same_set(part, part_keys, no, no == 0 ? part : parts[0], first_keys);
    n_tensors += static_cast<int64_t>(part.tensors.size());
    parts.push_back(std::move(part));
    if (n_tensors > first_keys.n_tensors) break;
  }
  if (n_tensors != first_keys.n_tensors) {
    bad(parts[0], "metadata key {} is {}, but the first {} of {} parts hold {} tensors", quote(kSplitTensors),
        first_keys.n_tensors, parts.size(), keys.count, n_tensors);
  }
  return parts;
}

}  // namespace kelda::gguf
