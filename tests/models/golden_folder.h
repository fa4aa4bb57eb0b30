// A golden network stored as Hugging Face's tools store it, to be changed before it is opened.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "files/scratch_file.h"
#include "malform/safetensors_builder.h"
#include "models/family.h"
#include "models/family_goldens.h"
#include "models/huggingface/model_folder.h"

namespace kelda::models {

namespace fs = std::filesystem;
using nlohmann::json;

inline json golden_named(const std::string& name) {
  return testing::family_golden(testing::family_golden_folder() / (name + ".json"));
}

struct Stored {
  std::vector<int64_t> shape;
  std::vector<float> values;
  std::string dtype = "F32";  // of the bytes that `values` has
};

inline int64_t rows_of_a_head(const json& config, std::size_t n_rows, bool is_query) {
  return static_cast<int64_t>(n_rows) /
         config[is_query ? "num_attention_heads" : "num_key_value_heads"].get<int64_t>();
}

// A tensor of the GGUF file in the layout in which a folder stores it.
inline Stored as_stored(const json& golden, const json& row) {
  const std::string name = row[0], how = row[1];
  const int64_t expert = row[2];
  Stored t{golden["tensors"][name].get<std::vector<int64_t>>(), {}};
  t.values = testing::golden_values(golden, name);
  if (expert >= 0) {
    t.shape.erase(t.shape.begin());
    const int64_t n = t.shape[0] * t.shape[1];
    t.values = {t.values.begin() + expert * n, t.values.begin() + (expert + 1) * n};
  }
  if (how == "minus_one")
    for (float& w : t.values) w -= 1;
  const auto rows = static_cast<std::size_t>(t.shape[0]), cols = t.values.size() / rows;
  const std::vector<float> from = t.values;
  if (how == "transposed" && t.shape.size() == 2) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < cols; ++c) t.values[c * rows + r] = from[r * cols + c];
    std::swap(t.shape[0], t.shape[1]);
  }
  if (how == "halves") {
    const auto head = static_cast<std::size_t>(
        rows_of_a_head(golden["config"], rows, name.find("attn_q") != std::string::npos));
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t in_head = r % head, to = r - in_head + in_head / 2 + in_head % 2 * (head / 2);
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(r * cols), cols,
                  t.values.begin() + static_cast<std::ptrdiff_t>(to * cols));
    }
  }
  return t;
}

inline void write_safetensors(const fs::path& path, const std::map<std::string, Stored>& tensors) {
  malform::SafetensorsBuilder builder;
  for (const auto& [name, t] : tensors) {
    const auto* data = reinterpret_cast<const char*>(t.values.data());
    builder.tensors.push_back({name, t.dtype, t.shape, std::string(data, t.values.size() * sizeof(float))});
  }
  malform::write_file(path, builder.bytes());
}

class Folder {
 public:
  explicit Folder(const json& golden) : golden_(golden) {
    for (const auto& [name, row] : golden["stored"].items()) tensors_[name] = as_stored(golden, row);
    config_ = golden["config"];
  }
  json& config() { return config_; }
  std::map<std::string, Stored>& tensors() { return tensors_; }
  std::unique_ptr<ModelFile> open() const {
    std::ofstream(scratch_.path() / "config.json") << config_.dump();
    write_safetensors(scratch_.path() / "model.safetensors", tensors_);
    return open_model_folder(scratch_.path());
  }
  // The error that opening it, and checking its tensors, throws.
  std::string refusal() const {
    try {
      const auto file = open();
      TensorList list;
      const ModelConfig c = read_config(file->metadata());
      find_family(file->metadata()).tensors(c, list);
      check_tensors(*file, list);
    } catch (const Error& e) {
      return e.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }

 private:
  json golden_, config_;
  std::map<std::string, Stored> tensors_;
  ScratchFolder scratch_;
};

inline std::string refusal_of(const std::string& name, const std::function<void(Folder&)>& change) {
  Folder folder(golden_named(name));
  change(folder);
  return folder.refusal();
}

inline ModelConfig config_of(const std::string& name, const std::function<void(json&)>& change) {
  Folder folder(golden_named(name));
  change(folder.config());
  return read_config(folder.open()->metadata());
}

inline void expect_names(const std::string& text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace kelda::models
