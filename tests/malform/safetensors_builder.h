// Builds safetensors files from the text of their header. It shares no code with the reader under test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "malform/gguf_builder.h"

namespace kelda::malform {

// The header's length, the header, and `data`.
inline std::string safetensors_of(std::string_view header, std::string_view data = {}) {
  return raw(uint64_t{header.size()}) + std::string(header) + std::string(data);
}

// One row of a header: "NAME":{"dtype":…,"shape":[…],"data_offsets":[…]}, all as given.
inline std::string header_row(std::string_view name, std::string_view dtype, std::string_view shape,
                              std::string_view offsets) {
  std::string out = "\"";
  out.append(name).append("\":{\"dtype\":\"").append(dtype).append("\",\"shape\":[").append(shape);
  return out.append("],\"data_offsets\":[").append(offsets).append("]}");
}

struct SafetensorsBuilder {
  struct Tensor {
    std::string name, dtype;
    std::vector<int64_t> shape;
    std::string data;
  };
  std::string metadata;  // JSON of __metadata__; empty: none
  std::vector<Tensor> tensors;

  std::string header() const {
    std::string out = "{";
    if (!metadata.empty()) out += "\"__metadata__\":" + metadata;
    uint64_t begin = 0;
    for (const Tensor& t : tensors) {
      if (out.size() > 1) out += ',';
      std::string shape;
      for (const int64_t dim : t.shape) {
        if (!shape.empty()) shape += ',';
        shape += std::to_string(dim);
      }
      const uint64_t end = begin + t.data.size();
      out += header_row(t.name, t.dtype, shape, std::to_string(begin) + "," + std::to_string(end));
      begin = end;
    }
    out += '}';
    out.resize((out.size() + 7) / 8 * 8, ' ');
    return out;
  }
  std::string bytes() const {
    std::string data;
    for (const Tensor& t : tensors) data += t.data;
    return safetensors_of(header(), data);
  }
};

// "a" is F32 [2, 4], "b" is BF16 [3], "empty" has no bytes, "one" is a single number.
inline SafetensorsBuilder small_safetensors() {
  SafetensorsBuilder b;
  b.metadata = R"({"format":"pt"})";
  std::string floats;
  for (int i = 0; i < 8; ++i) floats += raw(static_cast<float>(i));
  b.tensors = {{"a", "F32", {2, 4}, floats},
               {"b", "BF16", {3}, "\x01\x02\x03\x04\x05\x06"},
               {"empty", "I64", {3, 0, 2}, ""},
               {"one", "F16", {}, "\x07\x08"}};
  return b;
}

// The index of a sharded model: which tensor is in which file.
inline std::string index_of(const std::vector<std::pair<std::string, std::string>>& weight_map) {
  std::string out = R"({"metadata":{"total_size":0},"weight_map":{)";
  for (std::size_t i = 0; i < weight_map.size(); ++i) {
    if (i > 0) out += ',';
    out.append("\"").append(weight_map[i].first).append("\":\"").append(weight_map[i].second).append("\"");
  }
  return out + "}}";
}

}  // namespace kelda::malform
