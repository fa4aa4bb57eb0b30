// A GGUF file, or a split set: a byte for the part to open it by, then 2 or 3 parts, each but the last after
// its length (u16). It is refused with a message, or every tensor can be read, and the file written again
// reads the same. Either way in little memory.
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "config/metadata.h"
#include "files/gguf_split.h"
#include "files/gguf_values.h"
#include "files/gguf_writer.h"
#include "files/model_file.h"
#include "fuzz/heap_watch.h"
#include "fuzz/input_file.h"

namespace {

using namespace kelda;

std::vector<std::byte> data_of(const ModelFile& file, const TensorInfo& t) {
  std::vector<std::byte> data(t.bytes);
  file.read(t, 0, data);
  return data;
}

std::string value_bytes(const MetadataValue& value) {  // NaN is the same as itself here
  std::string out;
  gguf::append_value(out, value);
  return out;
}

void use(const ModelFile& file) {
  for (const auto& [key, value] : file.metadata().items()) {
    KELDA_CHECK(file.metadata().find(key) == &value);
    KELDA_CHECK(!value.display(3).empty());
  }
  uint64_t bytes = 0;
  for (const TensorInfo& t : file.tensors()) {
    KELDA_CHECK(file.find(t.name) == &t);
    KELDA_CHECK(t.format != nullptr && t.n_elements() > 0);
    bytes += t.bytes;
  }
  KELDA_CHECK(bytes <= file.file_bytes());
}

// All metadata but what makes it a part of a set.
Metadata whole_metadata(const ModelFile& file, bool is_set) {
  Metadata out;
  for (const auto& [key, value] : file.metadata().items()) {
    if (is_set && (key == gguf::kSplitNo || key == gguf::kSplitCount || key == gguf::kSplitTensors)) continue;
    out.add(key, value);
  }
  return out;
}

void check_rewrite(const ModelFile& file, bool is_set, const std::filesystem::path& path) {
  const Metadata metadata = whole_metadata(file, is_set);
  GgufWriter writer(path, metadata, file.tensors());
  for (const TensorInfo& t : file.tensors()) writer.append(data_of(file, t));
  writer.commit();
  const auto again = open_gguf(path);
  KELDA_CHECK(again->metadata().items().size() == metadata.items().size());
  for (std::size_t i = 0; i < metadata.items().size(); ++i) {
    KELDA_CHECK(again->metadata().items()[i].first == metadata.items()[i].first);
    KELDA_CHECK(value_bytes(again->metadata().items()[i].second) == value_bytes(metadata.items()[i].second));
  }
  KELDA_CHECK(again->tensors().size() == file.tensors().size());
  for (std::size_t i = 0; i < file.tensors().size(); ++i) {
    const TensorInfo& a = again->tensors()[i];
    const TensorInfo& b = file.tensors()[i];
    KELDA_CHECK(a.name == b.name && a.shape == b.shape && a.format == b.format);
    KELDA_CHECK(data_of(*again, a) == data_of(file, b));
  }
}

// Fills the parts; the path to open.
const std::filesystem::path& fill_set(std::string_view input, const std::filesystem::path& folder) {
  static std::array<std::unique_ptr<fuzz::InputFile>, 2 + 3> files = [&] {
    std::array<std::unique_ptr<fuzz::InputFile>, 5> out;
    for (uint32_t no = 0; no < 5; ++no) {
      const uint32_t count = no < 2 ? 2 : 3;
      out[no] = std::make_unique<fuzz::InputFile>(folder / gguf::part_name("s", no < 2 ? no : no - 2, count));
    }
    return out;
  }();
  const auto first = static_cast<uint8_t>(input[0]);
  const std::size_t count = (first & 1) == 0 ? 2 : 3, begin = count == 2 ? 0 : 2;
  input.remove_prefix(1);
  for (std::size_t no = 0; no < count; ++no) {
    std::size_t length = input.size();
    if (no + 1 < count && length >= 2) {
      uint16_t claimed = 0;
      std::memcpy(&claimed, input.data(), 2);
      input.remove_prefix(2);
      length = std::min<std::size_t>(claimed, input.size());
    }
    files[begin + no]->fill(input.substr(0, length));
    input.remove_prefix(length);
  }
  return files[begin + (first >> 1) % count]->path();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static fuzz::InputFile single;
  static const fuzz::ScratchFolder folder;
  static const std::filesystem::path again = folder.path() / "again.gguf";
  fuzz::HeapWatch::install();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool is_set = !input.empty() && input[0] != 'G';
  if (!is_set) single.fill(input);
  const std::filesystem::path path = is_set ? fill_set(input, folder.path()) : single.path();

  fuzz::HeapWatch::start();
  std::unique_ptr<const ModelFile> file;
  try {
    file = open_gguf(path);
  } catch (const Error& e) {
    KELDA_CHECK(e.code() == ErrorCode::kBadInput || e.code() == ErrorCode::kUnsupported);
    KELDA_CHECK(std::string_view(e.what()).starts_with(path.parent_path().string()));
  }
  KELDA_CHECK(fuzz::HeapWatch::most() <= static_cast<std::ptrdiff_t>(4 * size + (1 << 20)));
  if (file == nullptr) return 0;
  use(*file);
  check_rewrite(*file, is_set && file->container().find(" in ") != std::string_view::npos, again);
  return 0;
}
