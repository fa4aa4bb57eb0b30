// A header is read front to back once: counts, metadata, tensor table. Then the tensors' places in the file
// are checked against each other and against its size. No tensor data is touched until read().
#include "files/gguf_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/quote.h"
#include "files/foreign_format.h"
#include "files/gguf_cursor.h"
#include "files/gguf_layout.h"
#include "files/gguf_split.h"
#include "files/gguf_values.h"
#include "files/model_file.h"

namespace kelda {
namespace gguf {
namespace {

// The fewest bytes of one metadata entry (empty key, type, one byte) and of one tensor (empty name, one
// dimension).
constexpr uint64_t kLeastEntryBytes = 8 + 4 + 1;
constexpr uint64_t kLeastTensorBytes = 8 + 4 + 8 + 4 + 8;

struct Counts {
  uint32_t version = 0;
  uint64_t tensors = 0;
  uint64_t keys = 0;
};

void check_magic(Cursor& in) {
  in.set_subject("the file");
  if (in.left() < kMagic.size()) {
    in.bad(in.left(), "is not a GGUF file: it has {} bytes, fewer than the magic number", in.left());
  }
  std::string magic(kMagic.size(), '\0');
  in.read(std::as_writable_bytes(std::span(magic.data(), magic.size())));
  if (magic == kMagic) return;
  const std::string_view other = foreign_format(magic);
  if (other.empty()) in.bad(0, "is not a GGUF file: it starts with {}, not \"GGUF\"", quote(magic));
  in.fail_at(0, ErrorCode::kUnsupported, "is not a GGUF file: it starts with {}, which is {}", quote(magic),
             other);
}

uint32_t read_version(Cursor& in) {
  in.set_subject("the version");
  const uint64_t at = in.position();
  const auto version = in.number<uint32_t>();
  if (version >= kOldestVersion && version <= kNewestVersion) return version;
  if (version != 0 && (version & 0xFFFFu) == 0) {
    in.fail_at(at, ErrorCode::kUnsupported,
               "is stored big-endian ({:#010x}); only little-endian files can be read", version);
  }
  if (version == 0) in.bad(at, "is 0; allowed are {} and {}", kOldestVersion, kNewestVersion);
  in.fail_at(at, ErrorCode::kUnsupported, "is {}; GGUF versions {} and {} can be read", version,
             kOldestVersion, kNewestVersion);
}

uint64_t read_count(Cursor& in, std::string_view subject, uint64_t least_bytes, uint64_t most) {
  in.set_subject(std::string(subject));
  const uint64_t at = in.position();
  const auto count = in.number<uint64_t>();
  const auto least = checked_mul(count, least_bytes);
  if (!least || *least > in.left()) {
    in.bad(at, "is {}, but only {} bytes are left in the file", count, in.left());
  }
  if (count > most) in.bad(at, "is {}; at most {} are allowed", count, most);
  return count;
}

Counts read_counts(Cursor& in) {
  check_magic(in);
  Counts counts;
  counts.version = read_version(in);
  counts.tensors = read_count(in, "the tensor count", kLeastTensorBytes, kMaxTensors);
  counts.keys = read_count(in, "the metadata count", kLeastEntryBytes, kMaxKeys);
  return counts;
}

Metadata read_metadata(Cursor& in, uint64_t n_keys) {
  Metadata metadata;
  for (uint64_t i = 0; i < n_keys; ++i) {
    const uint64_t at = in.position();
    in.set_subject(fmt::format("the key of metadata entry {}", i));
    std::string key = in.text(kMaxKeyBytes);
    if (const auto fault = name_fault(key, kMaxKeyBytes)) in.bad(at, "{}", *fault);
    in.set_subject("metadata key " + quote(key));
    if (metadata.has(key)) in.bad(at, "appears twice");
    MetadataValue value = read_value(in);
    if (key == kAlignmentKey) {
      if (const auto fault = alignment_fault(value)) in.bad(at, "{}", *fault);
    }
    metadata.add(std::move(key), std::move(value));
  }
  return metadata;
}

// One row of the tensor table; offset is still relative to the data section.
TensorInfo read_tensor(Cursor& in, uint64_t index) {
  const uint64_t at = in.position();
  TensorInfo tensor;
  in.set_subject(fmt::format("the name of tensor {}", index));
  tensor.name = in.text(kMaxTensorNameBytes);
  if (const auto fault = name_fault(tensor.name, kMaxTensorNameBytes)) in.bad(at, "{}", *fault);
  in.set_subject("tensor " + quote(tensor.name));

  const uint64_t dims_at = in.position();
  const auto n_dims = in.number<uint32_t>();
  if (n_dims < 1 || n_dims > kMaxDims)
    in.bad(dims_at, "has {} dimensions; allowed are 1 to {}", n_dims, kMaxDims);
  tensor.shape.resize(n_dims);
  for (uint32_t d = 0; d < n_dims; ++d) {  // the file's order is fastest first
    const uint64_t dim_at = in.position();
    const auto dim = in.number<uint64_t>();
    if (dim < 1 || dim > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      in.bad(dim_at, "has a dimension of {}; allowed are 1 to 2^63 - 1", dim);
    }
    tensor.shape[n_dims - 1 - d] = static_cast<int64_t>(dim);
  }

  const uint64_t type_at = in.position();
  tensor.gguf_type = in.number<uint32_t>();
  tensor.format = quant::find_format(tensor.gguf_type);
  if (tensor.format == nullptr) {
    const std::string_view name = ggml_type_name(tensor.gguf_type);
    in.fail_at(type_at, ErrorCode::kUnsupported, "is of ggml type {} ({}); this build reads {}",
               tensor.gguf_type, name.empty() ? "unknown" : name, known_formats());
  }
  if (const auto fault = set_tensor_bytes(tensor)) in.bad(dims_at, "{}", *fault);
  tensor.offset = in.number<uint64_t>();
  return tensor;
}

// Indices of `tensors`, sorted by name. Throws for a name that is there twice, in one part or in two.
std::vector<uint32_t> index_by_name(const std::vector<Part>& parts, const std::vector<TensorInfo>& tensors) {
  std::vector<uint32_t> order(tensors.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const int names = tensors[a].name.compare(tensors[b].name);
    return names != 0 ? names < 0 : a < b;
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const TensorInfo& a = tensors[order[i - 1]];
    const TensorInfo& b = tensors[order[i]];
    if (a.name != b.name) continue;
    const std::string where = a.file == b.file ? "appears twice in the tensor table"
                                               : "is also in " + parts[a.file].file.path().string();
    fail(ErrorCode::kBadInput, "{}: tensor {} {}", parts[b.file].file.path().string(), quote(b.name), where);
  }
  return order;
}

// Makes offsets absolute. Throws unless each tensor is aligned, inside the file and apart from all others.
void place_tensors(const File& file, uint64_t header_bytes, uint64_t alignment,
                   std::vector<TensorInfo>& tensors) {
  const auto data_begin = align_up(header_bytes, alignment);
  KELDA_CHECK(data_begin.has_value());  // a header is at most kMaxHeaderBytes
  for (TensorInfo& t : tensors) {
    const auto refuse = [&](const std::string& why) {
      fail(ErrorCode::kBadInput, "{}: tensor {} {}", file.path().string(), quote(t.name), why);
    };
    if (t.offset % alignment != 0) {
      refuse(fmt::format("has offset {}, which is not a multiple of the alignment {}", t.offset, alignment));
    }
    const auto begin = checked_add(*data_begin, t.offset);
    const auto end = begin ? checked_add(*begin, t.bytes) : std::nullopt;
    if (!end || *end > file.size()) {
      refuse(fmt::format(
          "has {} bytes at offset {} of the data that starts at byte {}, but the file ends at byte {}",
          t.bytes, t.offset, *data_begin, file.size()));
    }
    t.offset = *begin;
  }
  std::vector<uint32_t> order(tensors.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return tensors[a].offset < tensors[b].offset; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const TensorInfo& a = tensors[order[i - 1]];
    const TensorInfo& b = tensors[order[i]];
    if (b.offset - a.offset < a.bytes) {
      fail(ErrorCode::kBadInput,
           "{}: byte {}: tensor {} starts inside tensor {}, which has {} bytes from byte {}",
           file.path().string(), b.offset, quote(b.name), quote(a.name), a.bytes, a.offset);
    }
  }
}

// The tensors of all parts, each with the number of its part.
std::vector<TensorInfo> join(std::vector<Part>& parts) {
  std::vector<TensorInfo> all = std::move(parts[0].tensors);
  for (uint32_t no = 1; no < parts.size(); ++no) {
    for (TensorInfo& t : parts[no].tensors) {
      t.file = no;
      all.push_back(std::move(t));
    }
    parts[no].tensors.clear();
  }
  return all;
}

class GgufFile final : public ModelFile {
 public:
  explicit GgufFile(std::vector<Part> parts)
      : parts_(std::move(parts)), tensors_(join(parts_)), by_name_(index_by_name(parts_, tensors_)) {
    container_ = fmt::format("GGUF v{}", parts_[0].version);
    if (parts_.size() > 1) container_ += fmt::format(" in {} files", parts_.size());
    for (const Part& part : parts_) file_bytes_ += part.file.size();
  }

  const std::filesystem::path& path() const override { return parts_[0].file.path(); }
  std::string_view container() const override { return container_; }
  uint64_t file_bytes() const override { return file_bytes_; }
  const Metadata& metadata() const override { return parts_[0].metadata; }
  const std::vector<TensorInfo>& tensors() const override { return tensors_; }

  const TensorInfo* find(std::string_view name) const override {
    const auto where = std::lower_bound(by_name_.begin(), by_name_.end(), name,
                                        [&](uint32_t i, std::string_view n) { return tensors_[i].name < n; });
    return where != by_name_.end() && tensors_[*where].name == name ? &tensors_[*where] : nullptr;
  }

  void read(const TensorInfo& tensor, uint64_t first, std::span<std::byte> out) const override {
    KELDA_CHECK(tensor.file < parts_.size());
    KELDA_CHECK(first <= tensor.bytes && out.size() <= tensor.bytes - first);
    parts_[tensor.file].file.read(tensor.offset + first, out);
  }

 private:
  std::vector<Part> parts_;
  std::string container_;
  uint64_t file_bytes_ = 0;
  std::vector<TensorInfo> tensors_;
  std::vector<uint32_t> by_name_;  // indices of tensors_, sorted by name
};

}  // namespace

Part read_part(const std::filesystem::path& path) {
  Part part(path);
  Cursor in(part.file);
  const Counts counts = read_counts(in);
  part.version = counts.version;
  part.metadata = read_metadata(in, counts.keys);
  part.tensors.reserve(static_cast<std::size_t>(counts.tensors));
  for (uint64_t i = 0; i < counts.tensors; ++i) part.tensors.push_back(read_tensor(in, i));
  place_tensors(part.file, in.position(), alignment_of(part.metadata), part.tensors);
  return part;
}

}  // namespace gguf

std::unique_ptr<ModelFile> open_gguf(const std::filesystem::path& path) {
  return std::make_unique<gguf::GgufFile>(gguf::whole_set(gguf::read_part(path)));
}

}  // namespace kelda
