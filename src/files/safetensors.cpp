#include "files/safetensors.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "files/gguf_layout.h"
#include "files/safetensors_header.h"
#include "files/safetensors_index.h"

namespace kelda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexSuffix = ".safetensors.index.json";
constexpr std::string_view kIndexName = "model.safetensors.index.json";
constexpr std::string_view kFileName = "model.safetensors";

// The file to begin with: `path`, or what a folder holds.
fs::path resolve_folder(const fs::path& path) {
  if (!is_folder(path)) return path;
  for (const std::string_view name : {kIndexName, kFileName}) {
    if (is_there(path / name)) return path / name;
    refuse_broken_link(path / name);
  }
  fail(ErrorCode::kNotFound, "{}: the folder holds neither {} nor {}", path.string(), kIndexName, kFileName);
}

// What the index says and what the files hold must be the same. Both are sorted by name.
void compare(const fs::path& index_path, const safetensors::Index& index,
             const std::vector<StoredTensor>& tensors) {
  const auto name = [&](uint32_t file) { return quote(index.files[file]); };
  const auto refuse = [&](const std::string& why) {
    fail(ErrorCode::kBadInput, "{}: {}", index_path.string(), why);
  };
  auto said = index.entries.begin();
  const auto missing = [&] {
    refuse(fmt::format("tensor {} is not in {}, where the index says it is", quote(said->tensor),
                       name(said->file)));
  };
  for (std::size_t i = 0; i < tensors.size(); ++i, ++said) {
    const StoredTensor& t = tensors[i];
    if (i > 0 && tensors[i - 1].name == t.name) {
      refuse(fmt::format("tensor {} is in both {} and {}", quote(t.name), name(tensors[i - 1].file),
                         name(t.file)));
    }
    if (said == index.entries.end() || t.name < said->tensor) {
      refuse(fmt::format("{} holds tensor {}, which the index does not name", name(t.file), quote(t.name)));
    }
    if (said->tensor < t.name) missing();
    if (said->file != t.file) {
      refuse(fmt::format("tensor {} is in {}, but the index says it is in {}", quote(t.name), name(t.file),
                         name(said->file)));
    }
  }
  if (said != index.entries.end()) missing();
}

std::unique_ptr<const File> open_shard(const fs::path& index_path, const std::string& name) {
  const fs::path path = index_path.parent_path() / name;
  try {
    return std::make_unique<const File>(path);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kNotFound) throw;
    fail(ErrorCode::kNotFound, "{}: no such file; {} names it", path.string(),
         index_path.filename().string());
  }
}

}  // namespace

bool has_safetensors(const fs::path& folder) {
  return is_there(folder / kIndexName) || is_there(folder / kFileName);
}

Safetensors::Safetensors() = default;
Safetensors::~Safetensors() = default;
Safetensors::Safetensors(Safetensors&&) noexcept = default;
Safetensors& Safetensors::operator=(Safetensors&&) noexcept = default;

Safetensors Safetensors::open(const fs::path& given) {
  const fs::path path = resolve_folder(given);
  Safetensors out;
  if (!path.filename().string().ends_with(kIndexSuffix)) {
    out.files_.push_back(std::make_unique<const File>(path));
    safetensors::Header header = safetensors::read_header(*out.files_[0]);
    out.tensors_ = std::move(header.tensors);
    out.metadata_ = std::move(header.metadata);
    return out;
  }
  const safetensors::Index index = safetensors::read_index(File(path));
  for (const std::string& name : index.files) {
    const auto number = static_cast<uint32_t>(out.files_.size());
    out.files_.push_back(open_shard(path, name));
    safetensors::Header header = safetensors::read_header(*out.files_.back());
    if (number == 0) out.metadata_ = std::move(header.metadata);
    if (header.tensors.size() > gguf::kMaxTensors - out.tensors_.size()) {
      fail(ErrorCode::kBadInput, "{}: the files hold more than {} tensors", path.string(), gguf::kMaxTensors);
    }
    for (StoredTensor& t : header.tensors) {
      t.file = number;
      out.tensors_.push_back(std::move(t));
    }
  }
  std::sort(out.tensors_.begin(), out.tensors_.end(), [](const StoredTensor& a, const StoredTensor& b) {
    return a.name != b.name ? a.name < b.name : a.file < b.file;
  });
  compare(path, index, out.tensors_);
  return out;
}

const StoredTensor* Safetensors::find(std::string_view name) const {
  const auto where = std::lower_bound(tensors_.begin(), tensors_.end(), name,
                                      [](const StoredTensor& t, std::string_view n) { return t.name < n; });
  return where != tensors_.end() && where->name == name ? &*where : nullptr;
}

void Safetensors::read(const StoredTensor& tensor, uint64_t first, std::span<std::byte> out) const {
  KELDA_CHECK(tensor.file < files_.size());
  KELDA_CHECK(first <= tensor.bytes && out.size() <= tensor.bytes - first);
  files_[tensor.file]->read(tensor.offset + first, out);
}

const std::filesystem::path& Safetensors::path_of(const StoredTensor& t) const {
  return files_[t.file]->path();
}

uint64_t Safetensors::file_bytes() const {
  uint64_t sum = 0;
  for (const auto& file : files_) sum += file->size();
  return sum;
}

}  // namespace kelda
