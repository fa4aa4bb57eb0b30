// Builds GGUF files byte by byte, right or wrong. It shares no code with the reader and the writer under
// test, and every number of the file can be set to something else than the truth.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kelda::malform {

template <typename T>
std::string raw(T value) {
  static_assert(std::is_arithmetic_v<T>);
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

inline std::string raw_text(std::string_view text) { return raw(uint64_t{text.size()}) + std::string(text); }

template <typename T>
constexpr uint32_t type_id() {
  if constexpr (std::is_same_v<T, uint8_t>) return 0;
  if constexpr (std::is_same_v<T, int8_t>) return 1;
  if constexpr (std::is_same_v<T, uint16_t>) return 2;
  if constexpr (std::is_same_v<T, int16_t>) return 3;
  if constexpr (std::is_same_v<T, uint32_t>) return 4;
  if constexpr (std::is_same_v<T, int32_t>) return 5;
  if constexpr (std::is_same_v<T, float>) return 6;
  if constexpr (std::is_same_v<T, bool>) return 7;
  if constexpr (std::is_same_v<T, std::string>) return 8;
  if constexpr (std::is_same_v<T, uint64_t>) return 10;
  if constexpr (std::is_same_v<T, int64_t>) return 11;
  if constexpr (std::is_same_v<T, double>) return 12;
}
inline constexpr uint32_t kArrayId = 9;

// The type id and the bytes of one metadata value.
template <typename T>
std::string scalar(T v) {
  return raw(type_id<T>()) + raw(v);
}
inline std::string scalar(const std::string& v) { return raw(type_id<std::string>()) + raw_text(v); }
inline std::string scalar(const char* v) { return scalar(std::string(v)); }

template <typename T>
std::string array(const std::vector<T>& items) {
  std::string out = raw(kArrayId) + raw(type_id<T>()) + raw(uint64_t{items.size()});
  for (const auto& item : items) {
    if constexpr (std::is_same_v<T, std::string>) {
      out += raw_text(item);
    } else {
      out += raw<T>(item);
    }
  }
  return out;
}

struct GgufBuilder {
  struct Entry {
    std::string key, value;  // value: type id and bytes
  };
  struct Tensor {
    std::string name;
    std::vector<uint64_t> dims;  // in the file's order: columns first
    uint32_t type = 0;
    std::string data;
    std::optional<uint64_t> offset = {};  // instead of the true one
    std::optional<uint32_t> n_dims = {};
  };

  std::string magic = "GGUF";
  uint32_t version = 3;
  std::optional<uint64_t> tensor_count, key_count;  // instead of the true ones
  uint64_t alignment = 32;                          // where the data really is
  bool pad_last = true;
  std::vector<Entry> entries;
  std::vector<Tensor> tensors;

  // Replaces the entry or appends it.
  GgufBuilder& set(std::string_view key, std::string value) {
    for (Entry& e : entries) {
      if (e.key == key) {
        e.value = std::move(value);
        return *this;
      }
    }
    return add(key, std::move(value));
  }
  GgufBuilder& add(std::string_view key, std::string value) {
    entries.push_back({std::string(key), std::move(value)});
    return *this;
  }
  GgufBuilder& remove(std::string_view key) {
    std::erase_if(entries, [&](const Entry& e) { return e.key == key; });
    return *this;
  }
  Tensor& tensor(std::string_view name) {
    for (Tensor& t : tensors) {
      if (t.name == name) return t;
    }
    tensors.push_back({std::string(name), {}, 0, {}});
    return tensors.back();
  }

  uint64_t padded(uint64_t n) const { return (n + alignment - 1) / alignment * alignment; }

  // Up to the last byte of the tensor table.
  std::string header() const {
    std::string out = magic + raw(version);
    out += raw(tensor_count.value_or(tensors.size())) + raw(key_count.value_or(entries.size()));
    for (const Entry& e : entries) out += raw_text(e.key) + e.value;
    uint64_t next = 0;
    for (const Tensor& t : tensors) {
      out += raw_text(t.name) + raw(t.n_dims.value_or(static_cast<uint32_t>(t.dims.size())));
      for (const uint64_t d : t.dims) out += raw(d);
      out += raw(t.type) + raw(t.offset.value_or(next));
      next = padded(next + t.data.size());
    }
    return out;
  }

  std::string bytes() const {
    std::string out = header();
    if (!tensors.empty()) out.resize(padded(out.size()));
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      out += tensors[i].data;
      if (pad_last || i + 1 < tensors.size()) out.resize(padded(out.size()));
    }
    return out;
  }
};

// Writes `bytes`, then zeros (a hole, on file systems that have them) up to `size`.
inline void write_file(const std::filesystem::path& path, std::string_view bytes, uint64_t size = 0) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.exceptions(std::ios::failbit | std::ios::badbit);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (size > bytes.size()) std::filesystem::resize_file(path, size);
}

}  // namespace kelda::malform
