#include "models/huggingface/sentence_settings.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "files/scratch_file.h"

namespace kelda::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json module(const std::string& type, const std::string& path) {
  return {{"idx", 0}, {"name", "0"}, {"path", path}, {"type", type}};
}

// As sentence-transformers wrote them before version 5, and as it does since.
json old_modules() {
  return {module("sentence_transformers.models.Transformer", ""),
          module("sentence_transformers.models.Pooling", "1_Pooling"),
          module("sentence_transformers.models.Normalize", "2_Normalize")};
}
json old_pooling() {
  return {{"word_embedding_dimension", 64},
          {"pooling_mode_cls_token", false},
          {"pooling_mode_mean_tokens", true},
          {"pooling_mode_max_tokens", false},
          {"pooling_mode_mean_sqrt_len_tokens", false}};
}
json new_modules() {
  return {module("sentence_transformers.base.modules.transformer.Transformer", ""),
          module("sentence_transformers.sentence_transformer.modules.pooling.Pooling", "1_Pooling")};
}
json new_pooling() {
  return {{"embedding_dimension", 64}, {"pooling_mode", "cls"}, {"include_prompt", true}};
}

class Folder {
 public:
  Folder(const json& modules, const json& pooling) {
    fs::create_directory(scratch_.path() / "1_Pooling");
    std::ofstream(scratch_.path() / "modules.json") << modules.dump();
    std::ofstream(scratch_.path() / "1_Pooling/config.json") << pooling.dump();
  }
  fs::path path() const { return scratch_.path(); }
  Metadata read() const {
    Translation t{.architecture = "a"};
    t.set_integer("embedding_length", 64);
    translate_sentence_modules(scratch_.path(), t);
    return t.metadata;
  }
  // The error, which begins with the path of `file`.
  std::string refusal(const std::string& file, ErrorCode code) const {
    try {
      read();
    } catch (const Error& e) {
      const std::string what = e.what();
      EXPECT_EQ(e.code(), code) << what;
      EXPECT_EQ(what.find((path() / file).string() + ": "), 0u) << what;
      return what;
    }
    ADD_FAILURE() << "no error";
    return "";
  }

 private:
  ScratchFolder scratch_;
};

TEST(SentenceModules, SayHowToPoolAndWhetherVectorsHaveLengthOne) {
  const Metadata old = Folder(old_modules(), old_pooling()).read();
  EXPECT_EQ(old.integer("a.pooling_type", 0, 9), 1);
  EXPECT_TRUE(old.boolean("a.normalize_embeddings", false));
  const Metadata now = Folder(new_modules(), new_pooling()).read();
  EXPECT_EQ(now.integer("a.pooling_type", 0, 9), 2);
  EXPECT_FALSE(now.boolean("a.normalize_embeddings", true));
  json listed = new_pooling();
  listed["pooling_mode"] = {"mean"};
  EXPECT_EQ(Folder(new_modules(), listed).read().integer("a.pooling_type", 0, 9), 1);
}

TEST(SentenceModules, WithoutTheirFileNothingIsSaid) {
  const ScratchFolder empty;
  Translation t{.architecture = "a"};
  t.set_integer("embedding_length", 64);
  translate_sentence_modules(empty.path(), t);
  EXPECT_FALSE(t.metadata.has("a.pooling_type"));
  EXPECT_FALSE(t.metadata.has("a.normalize_embeddings"));
}

TEST(SentenceModules, OthersThanTheseAreRefusedByName) {
  const auto refused = [](const std::function<void(json&)>& change, ErrorCode code, const std::string& says) {
    json modules = old_modules();
    change(modules);
    const std::string what = Folder(modules, old_pooling()).refusal("modules.json", code);
    EXPECT_NE(what.find(says), std::string::npos) << what;
  };
  refused([](json& m) { m[2]["type"] = "sentence_transformers.models.Dense"; }, ErrorCode::kUnsupported,
          "[2].type is \"sentence_transformers.models.Dense\"");
  refused([](json& m) { m.push_back(m[2]); }, ErrorCode::kUnsupported, "4 modules");
  refused([](json& m) { m = {m[0]}; }, ErrorCode::kUnsupported, "1 modules");
  refused([](json& m) { std::swap(m[1], m[2]); }, ErrorCode::kUnsupported, "[1].type");
  refused([](json& m) { m[0]["path"] = "0_Transformer"; }, ErrorCode::kBadInput, "[0].path");
  for (const char* path : {"", "..", ".", "a/b", "/etc", "../1_Pooling"})
    refused([&](json& m) { m[1]["path"] = path; }, ErrorCode::kBadInput, "[1].path");
  refused([](json& m) { m[0]["kwargs"] = {"task"}; }, ErrorCode::kUnsupported, "[0].kwargs");
  refused([](json& m) { m[0]["type"] = 5; }, ErrorCode::kBadInput, "[0].type");
  refused([](json& m) { m[0] = "Transformer"; }, ErrorCode::kBadInput, "[0] is");
  refused([](json& m) { m = json::object(); }, ErrorCode::kBadInput, "is not a JSON list");
}

TEST(SentenceModules, OtherPoolingIsRefusedByName) {
  const auto refused = [](json pooling, ErrorCode code, const std::string& says) {
    const std::string what = Folder(old_modules(), pooling).refusal("1_Pooling/config.json", code);
    EXPECT_NE(what.find(says), std::string::npos) << what;
  };
  const auto with = [](json pooling, const char* key, const json& value) {
    pooling[key] = value;
    return pooling;
  };
  refused(with(old_pooling(), "pooling_mode_cls_token", true), ErrorCode::kUnsupported, "\"cls+mean\"");
  refused(with(old_pooling(), "pooling_mode_mean_tokens", false), ErrorCode::kUnsupported, "\"\"");
  for (const char* mode : {"max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"})
    refused(with(old_pooling(), (std::string("pooling_mode_") + mode).c_str(), true), ErrorCode::kUnsupported,
            "pooling_mode is");
  refused(with(new_pooling(), "pooling_mode", "max"), ErrorCode::kUnsupported, "\"max\"");
  refused(with(new_pooling(), "pooling_mode", {"cls", "mean"}), ErrorCode::kUnsupported, "\"cls+mean\"");
  refused(with(new_pooling(), "include_prompt", false), ErrorCode::kUnsupported, "include_prompt");
  refused(with(new_pooling(), "embedding_dimension", 65), ErrorCode::kBadInput, "embedding_dimension is 65");
  refused(with(old_pooling(), "mystery", 1), ErrorCode::kUnsupported, "mystery");
}

TEST(SentenceModules, TheSettingsOfThePoolingMustBeThere) {
  const Folder folder(old_modules(), old_pooling());
  fs::remove(folder.path() / "1_Pooling/config.json");
  folder.refusal("1_Pooling/config.json", ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kelda::models
