#include "hub/catalog.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/sha256.h"

namespace kelda::embedded {
extern const std::string_view models_json;
}

namespace kelda::hub {
namespace {

using Json = nlohmann::json;

Json good() {
  return Json::parse(R"({
    "default": "toy",
    "models": [{
      "name": "toy", "title": "A toy", "architecture": "llama",
      "licence": {"name": "Apache-2.0", "spdx": null, "url": "https://example.org", "consent_required": true},
      "files": [{"name": "a.gguf", "bytes": 7, "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}],
      "memory": {"n_layers": 2, "n_kv_heads": 0, "head_dim": 8, "n_ctx_train": 16},
      "knobs": {"values": {"top_k": 20}, "source": "a card"},
      "sources": [
        {"kind": "python_package", "join": true, "packages": [{"name": "p", "version": "1", "files": ["p/1", "p/2"]}]},
        {"kind": "hub", "repo": "org/repo", "revision": "main", "files": ["a.gguf"]}
      ]
    }]
  })");
}

// The message of the error that parsing `json` throws; empty if it throws none.
std::string complaint(const Json& json) {
  try {
    parse_catalog(json.dump());
    return {};
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    return e.what();
  }
}

TEST(Catalog, ReadsEveryField) {
  const Catalog c = parse_catalog(good().dump());
  ASSERT_EQ(c.entries.size(), 1u);
  const CatalogEntry& e = c.entries.front();
  EXPECT_EQ(c.default_name, "toy");
  EXPECT_EQ(c.find("toy"), &e);
  EXPECT_EQ(c.find("toys"), nullptr);
  EXPECT_TRUE(e.licence.consent_required);
  EXPECT_EQ(e.licence.spdx, "");
  EXPECT_EQ(e.bytes(), 7u);
  EXPECT_EQ(e.memory.n_ctx_train, 16);
  ASSERT_EQ(e.knobs.size(), 1u);
  EXPECT_EQ(e.knobs.front(), (std::pair<std::string, double>("top_k", 20)));
  ASSERT_EQ(e.sources.size(), 2u);
  EXPECT_EQ(std::get<PackageSource>(e.sources[0]).packages[0].members,
            (std::vector<std::string>{"p/1", "p/2"}));
  EXPECT_EQ(std::get<HubSource>(e.sources[1]).repo, "org/repo");
}

TEST(Catalog, EveryFieldIsNeededAndNoOtherIsKnown) {
  const Json whole = good().flatten();
  for (const auto& [pointer, value] : whole.items()) {
    Json json = good();
    const Json::json_pointer place(pointer);
    Json& parent = json.at(place.parent_pointer());
    if (parent.is_array() || pointer.find("/values/") != std::string::npos) continue;
    parent.erase(place.back());
    EXPECT_NE(complaint(json).find("\"" + place.back() + "\" is missing"), std::string::npos) << pointer;
    parent[place.back()] = value;
    parent["surplus"] = 1;
    EXPECT_NE(complaint(json).find("unknown field \"surplus\""), std::string::npos) << pointer;
  }
}

TEST(Catalog, WrongTypesAreErrorsThatNameThePlace) {
  const Json whole = good().flatten();
  for (const auto& [pointer, value] : whole.items()) {
    for (const Json& wrong : {Json(Json::array()), Json(Json::object()), Json(-1.5), Json("../x y")}) {
      if (pointer.ends_with("/default") || wrong.type() == value.type()) continue;
      const bool is_knob = pointer.find("/values/") != std::string::npos;
      const bool free_text = wrong.is_string() && (pointer.ends_with("title") || pointer.ends_with("spdx"));
      if ((is_knob && wrong.is_number()) || free_text) continue;
      Json json = good();
      json.at(Json::json_pointer(pointer)) = wrong;
      EXPECT_NE(complaint(json).find("models[0]"), std::string::npos) << pointer << " = " << wrong;
    }
  }
}

TEST(Catalog, NamesThatCouldLeaveTheCacheAreRefused) {
  for (const char* name :
       {"../x", "/etc/passwd", "a/../b", "a//b", ".", "..", "", "a b", "a\\b", "-x", "a\nb"}) {
    Json json = good();
    json["models"][0]["files"][0]["name"] = name;
    EXPECT_NE(complaint(json), "") << name;
    json = good();
    json["models"][0]["name"] = name;
    json["default"] = name;
    EXPECT_NE(complaint(json), "") << name;
  }
  Json json = good();
  json["models"][0]["name"] = json["default"] = "hub";
  EXPECT_NE(complaint(json).find("models[0].name"), std::string::npos);
}

TEST(Catalog, ContradictionsAreRefused) {
  Json json = good();
  json["default"] = "other";
  EXPECT_NE(complaint(json).find("default"), std::string::npos);

  json = good();
  json["models"].push_back(json["models"][0]);
  EXPECT_NE(complaint(json).find("there twice"), std::string::npos);

  json = good();
  json["models"][0]["sources"][0]["join"] = false;  // two members for one file
  EXPECT_NE(complaint(json).find("models[0].sources[0]: 2 members do not make 1 files"), std::string::npos);

  json = good();
  json["models"][0]["sources"][1]["files"].push_back("b.gguf");
  EXPECT_NE(complaint(json).find("models[0].sources[1]"), std::string::npos);

  json = good();
  json["models"][0]["sources"][1]["kind"] = "ftp";
  EXPECT_NE(complaint(json).find("unknown kind \"ftp\""), std::string::npos);

  json = good();
  json["models"][0]["files"][0]["bytes"] = 18446744073709551615u;
  EXPECT_NE(complaint(json).find("models[0].files[0].bytes"), std::string::npos);
}

TEST(Catalog, WhatIsNotJsonIsRefusedWithThePlace) {
  for (const char* text : {"", "{", "[]", "null", "{\"default\": \"x\"} x"})
    EXPECT_THROW(parse_catalog(text), Error) << text;
}

TEST(BuiltInCatalog, IsValidAndKnowsWhereEachModelComesFrom) {
  const Catalog c = parse_catalog(embedded::models_json);
  std::set<std::string> sums;
  for (const CatalogEntry& entry : c.entries) {
    EXPECT_FALSE(entry.sources.empty()) << entry.name;
    for (const CatalogFile& file : entry.files) EXPECT_TRUE(sums.insert(file.sha256).second) << file.name;
  }
  for (const char* name : {"smollm2", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b", "gemma3-270m", "minilm"}) {
    EXPECT_NE(c.find(name), nullptr) << name;
  }
  EXPECT_TRUE(c.find("gemma3-270m")->licence.consent_required);
  EXPECT_FALSE(c.find("smollm2")->licence.consent_required);
}

}  // namespace
}  // namespace kelda::hub
