#include "models/structure.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/tiny_model.h"

namespace kelda::models {
namespace {

class Structure : public ::testing::TestWithParam<const Family*> {};

TEST_P(Structure, CountsEveryTensorOfTheFileOnce) {
  const auto path = testing::write_tiny_model(*GetParam(), {.n_layers = 3});
  const auto file = open_gguf(path);
  const ModelConfig config = read_config(file->metadata());
  TensorList list;
  GetParam()->tensors(config, list);
  uint64_t parameters = 0, bytes = 0, tensors = 0;
  for (const StructurePart& part : structure(list, *file)) {
    EXPECT_TRUE(part.in_block ==
                (part.name == "attention" || part.name == "feed-forward" || part.name == "block"));
    for (const StructureRow& row : part.rows) {
      EXPECT_EQ(row.count, part.in_block ? config.n_layers : 1) << row.name;
      EXPECT_FALSE(row.name.starts_with("blk.")) << row.name;
      uint64_t own = 0;
      for (const auto& [format, count] : row.formats) own += static_cast<uint64_t>(count);
      EXPECT_EQ(own, row.tied_to.empty() ? static_cast<uint64_t>(row.count) : 0u) << row.name;
      tensors += own;
    }
    parameters += part.parameters();
    bytes += part.bytes();
  }
  uint64_t stored_parameters = 0, stored_bytes = 0;
  for (const TensorInfo& t : file->tensors()) {
    stored_parameters += static_cast<uint64_t>(t.n_elements());
    stored_bytes += t.bytes;
  }
  EXPECT_EQ(tensors, file->tensors().size());
  EXPECT_EQ(parameters, stored_parameters);
  EXPECT_EQ(bytes, stored_bytes);
  std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(Families, Structure, ::testing::ValuesIn(families().begin(), families().end()),
                         [](const auto& each) { return std::string(each.param->name); });

TEST(StructureOfLlama, IsInTheOrderOfAPass) {
  const auto path = testing::write_tiny_model(*find_family("llama"), {});
  const auto file = open_gguf(path);
  TensorList list;
  find_family("llama")->tensors(read_config(file->metadata()), list);
  const std::vector<StructurePart> parts = structure(list, *file);
  std::vector<std::string_view> names;
  for (const StructurePart& p : parts) names.push_back(p.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"embedding", "attention", "feed-forward", "head"}));
  const StructureRow& output = parts.back().rows.back();
  EXPECT_EQ(output.name, "output.weight");
  EXPECT_EQ(output.tied_to, "token_embd.weight");
  EXPECT_EQ(output.parameters, 0u);
  EXPECT_EQ(parts[1].rows[1].shape, (std::vector<int64_t>{128, 96}));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace kelda::models
