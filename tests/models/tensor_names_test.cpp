#include "models/huggingface/tensor_names.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda::models {
namespace {

std::vector<StoredTensor> stored(const std::vector<std::string>& names) {
  std::vector<StoredTensor> out;
  for (const std::string& name : names) out.push_back({.name = name, .dtype = "F32", .shape = {1}});
  return out;
}

std::vector<std::string> ours(const std::vector<std::string>& names, const HuggingFace& family = {}) {
  const auto tensors = stored(names);
  std::vector<std::string> out;
  for (const auto& [name, source] : name_tensors(tensors, family)) out.push_back(name);
  return out;
}

using Names = std::vector<std::string>;

TEST(TensorNames, DecodersShareLlamas) {
  EXPECT_EQ(ours({"model.layers.11.self_attn.q_proj.weight", "model.layers.3.mlp.down_proj.bias",
                  "model.norm.weight", "lm_head.weight", "model.layers.0.self_attn.rotary_emb.inv_freq"}),
            (Names{"blk.11.attn_q.weight", "blk.3.ffn_down.bias", "output.weight", "output_norm.weight"}));
  EXPECT_EQ(ours({"norm.weight"}), (Names{"output_norm.weight"}));  // saved without the prefix
}

TEST(TensorNames, WhatNobodyKnowsKeepsItsName) {
  for (const char* name : {"model.layers.x.mlp.up_proj.weight", "model.layers.01.mlp.up_proj.weight",
                           "model.layers.-1.mlp.up_proj.weight", "model.layers.99999999.mlp.up_proj.weight",
                           "model.layers.1.mlp.up_proj.weight_scale", "vision.tower.weight"})
    EXPECT_EQ(ours({name}), (Names{name}));
}

TEST(TensorNames, AFamilysRowsComeFirst) {
  const HuggingFace family{
      .names = {{"norm", "final", Translated::kPlusOne}, {"h.{}.attn.bias", "", Translated::kDropped}},
      .optional_prefix = "transformer."};
  const auto tensors = stored({"transformer.norm.weight", "transformer.h.4.attn.bias"});
  const auto named = name_tensors(tensors, family);
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named.at("final.weight").how, Translated::kPlusOne);
  EXPECT_EQ(named.at("final.weight").parts[0], &tensors[0]);
}

TEST(TensorNames, ExpertsBecomeOneStackInTheirOrder) {
  const HuggingFace family{.names = {{"layers.{}.experts.{}.up", "blk.{}.ffn_up_exps"}}};
  const auto tensors = stored({"layers.2.experts.10.up.weight", "layers.2.experts.0.up.weight"});
  EXPECT_THROW(name_tensors(tensors, family), Error);  // 1 to 9 are missing
  const auto two = stored({"layers.2.experts.1.up.weight", "layers.2.experts.0.up.weight"});
  const auto named = name_tensors(two, family);
  const NamedSource& stack = named.at("blk.2.ffn_up_exps.weight");
  EXPECT_TRUE(stack.is_stack);
  EXPECT_EQ(stack.parts, (std::vector<const StoredTensor*>{&two[1], &two[0]}));
}

TEST(TensorNames, TwoForOnePlaceAreRefused) {
  const auto tensors = stored({"model.norm.weight", "norm.weight"});
  EXPECT_THROW(name_tensors(tensors, {}), Error);
}

}  // namespace
}  // namespace kelda::models
