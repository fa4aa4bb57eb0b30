// A safetensors file, or after the byte 'I' the index of a sharded model whose two files are there. It is
// refused with a message, or its tensors are all of the data, each can be read, and the header written again
// reads the same. Either way in little memory.
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "files/safetensors.h"
#include "fuzz/heap_watch.h"
#include "fuzz/input_file.h"

namespace {

using namespace kelda;

std::string with_length(const std::string& header) {
  const uint64_t length = header.size();
  std::string out(sizeof length, '\0');
  std::memcpy(out.data(), &length, sizeof length);
  return out + header;
}

// A shard with tensors of one byte each.
std::string shard(const std::vector<std::string>& names) {
  std::string header = "{";
  for (std::size_t i = 0; i < names.size(); ++i) {
    header += fmt::format(R"({}"{}":{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}})", i > 0 ? "," : "",
                          names[i], i, i + 1);
  }
  return with_length(header + "}") + std::string(names.size(), 'x');
}

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// The one-file model with the same tensors, as its bytes.
std::string rewritten(const Safetensors& file) {
  std::string header = "{", data;
  const auto separate = [&] {
    if (header.size() > 1) header += ',';
  };
  if (!file.metadata().empty()) {
    header += "\"__metadata__\":{";
    for (const auto& [key, value] : file.metadata()) {
      header += (header.back() == '{' ? "" : ",") + json_text(key) + ":" + json_text(value);
    }
    header += '}';
  }
  for (const StoredTensor& t : file.tensors()) {
    separate();
    const uint64_t begin = data.size();
    data.resize(begin + t.bytes);
    file.read(t, 0, std::as_writable_bytes(std::span(data)).subspan(begin));
    header += fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", json_text(t.name),
                          t.dtype, fmt::join(t.shape, ","), begin, data.size());
  }
  return with_length(header + "}") + data;
}

void check_same(const Safetensors& a, const Safetensors& b) {
  KELDA_CHECK(a.metadata() == b.metadata());
  KELDA_CHECK(a.tensors().size() == b.tensors().size());
  for (std::size_t i = 0; i < a.tensors().size(); ++i) {
    const StoredTensor& t = a.tensors()[i];
    const StoredTensor& u = b.tensors()[i];
    KELDA_CHECK(t.name == u.name && t.dtype == u.dtype && t.shape == u.shape && t.bytes == u.bytes);
    KELDA_CHECK(a.find(t.name) == &t);
    std::vector<std::byte> of_t(t.bytes), of_u(u.bytes);
    a.read(t, 0, of_t);
    b.read(u, 0, of_u);
    KELDA_CHECK(of_t == of_u);
  }
}

struct Inputs {
  fuzz::ScratchFolder folder;
  fuzz::InputFile single, again;
  fuzz::InputFile one{folder.path() / "1.safetensors"}, two{folder.path() / "2.safetensors"};
  fuzz::InputFile index{folder.path() / "model.safetensors.index.json"};
  Inputs() {
    one.fill(shard({"a", "b"}));
    two.fill(shard({"c"}));
    fuzz::HeapWatch::install();
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static Inputs inputs;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool is_index = !input.empty() && input[0] == 'I';
  fuzz::InputFile& opened = is_index ? inputs.index : inputs.single;
  opened.fill(is_index ? input.substr(1) : input);

  fuzz::HeapWatch::start();
  std::optional<Safetensors> file;
  try {
    file = Safetensors::open(opened.path());
  } catch (const Error& e) {
    const bool may_be_missing = is_index && e.code() == ErrorCode::kNotFound;
    KELDA_CHECK(e.code() == ErrorCode::kBadInput || e.code() == ErrorCode::kUnsupported || may_be_missing);
    KELDA_CHECK(std::string_view(e.what()).starts_with(opened.path().parent_path().string()));
  }
  KELDA_CHECK(fuzz::HeapWatch::most() <= static_cast<std::ptrdiff_t>(4 * size + (1 << 20)));
  if (!file) return 0;
  if (!is_index) {
    uint64_t header_bytes = 0, bytes = 0;
    std::memcpy(&header_bytes, data, sizeof header_bytes);
    for (const StoredTensor& t : file->tensors()) bytes += t.bytes;
    KELDA_CHECK(sizeof header_bytes + header_bytes + bytes == size);
  }
  inputs.again.fill(rewritten(*file));
  check_same(*file, Safetensors::open(inputs.again.path()));
  return 0;
}
