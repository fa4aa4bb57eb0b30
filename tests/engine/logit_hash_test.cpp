// The logits of known files, and the vectors of encoders, as hashes: a change of the arithmetic's rules shows
// here and needs a decision (docs/adr/0009-equal-bits.md), never an accident. Written anew by running this
// test with KELDA_UPDATE_GOLDEN=1.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "base/sha256.h"
#include "engine/embedder.h"
#include "engine/runner.h"
#include "models/tiny_model.h"
#include "test_model.h"

namespace kelda {
namespace {

const std::string kGolden = std::string(KELDA_SOURCE_DIR) + "/tests/golden/logit_hashes.json";

TokenId some_token(int64_t i, const ModelConfig& config) {
  return static_cast<TokenId>((i * 7919 + 13) % config.vocab_size);
}

std::string hash_of_vectors(const std::filesystem::path& path, int64_t n_tokens) {
  ThreadPool pool(2);
  Embedder embedder(Model::load(path, {.role = models::Role::kEncoder}, pool), {}, pool);
  std::vector<std::vector<TokenId>> texts(2);
  for (int64_t i = 0; i < n_tokens; ++i)
    texts[i % 5 == 0].push_back(some_token(i, embedder.model().config()));
  Sha256 hash;
  embedder.embed(texts, [&](std::size_t, std::span<const float> v) { hash.update(std::as_bytes(v)); });
  return hash.hex();
}

std::string hash_of_logits(const std::filesystem::path& path, int64_t n_tokens, KvType kv, Compute compute) {
  ThreadPool pool(2);
  Runner runner(Model::load(path, {compute, {}}, pool), {kv, 0, n_tokens}, pool);
  std::vector<TokenId> ids;
  for (int64_t i = 0; i < n_tokens; ++i) ids.push_back(some_token(i, runner.model().config()));
  Sha256 hash;
  runner.all_logits(ids, 64, [&](int64_t, std::span<const float> row) { hash.update(std::as_bytes(row)); });
  return hash.hex();
}

nlohmann::json recorded() { return nlohmann::json::parse(read_text(kGolden, 1 << 20)); }

// Compares, or records where that is asked for. A name without a record is new: it is said, and there is
// nothing to compare.
void check(const std::string& name, const std::string& hash) {
  nlohmann::json golden = recorded();
  if (std::getenv("KELDA_UPDATE_GOLDEN") != nullptr) {
    golden[name] = hash;
    AtomicFile out(kGolden);
    out.write(golden.dump(2) + "\n");
    out.commit();
  }
  if (!golden.contains(name)) {
    std::printf("%s: not recorded yet, %s\n", name.c_str(), hash.c_str());
    return;
  }
  EXPECT_EQ(golden[name].get<std::string>(), hash) << name;
}

TEST(LogitHashes, OfTinyModelsAreTheRecordedOnes) {
  std::set<std::string> names;
  for (const models::Family* family : models::families()) {
    for (const quant::FormatSpec* format : quant::formats()) {
      const auto path = testing::write_tiny_model(*family, {.format = format->name});
      names.insert(fmt::format("tiny {} {}", family->name, format->name));
      check(fmt::format("tiny {} {}", family->name, format->name),
            family->role() == models::Role::kEncoder
                ? hash_of_vectors(path, 130)
                : hash_of_logits(path, 130, KvType::kF16, Compute::kAuto));
      std::filesystem::remove(path);
    }
  }
  const nlohmann::json golden = recorded();
  for (const auto& [name, hash] : golden.items()) {  // nothing that was recorded goes unseen
    EXPECT_TRUE(name.rfind("tiny ", 0) != 0 || names.count(name) == 1) << name;
  }
}

TEST(LogitHashes, OfTheRealModelAreTheRecordedOnes) {
  const auto path = testing::test_model();
  if (!path) GTEST_SKIP() << "KELDA_TEST_MODEL is not set";
  check("smollm2", hash_of_logits(*path, 130, KvType::kF16, Compute::kAuto));
  check("smollm2 reference", hash_of_logits(*path, 20, KvType::kF32, Compute::kReference));
}

}  // namespace
}  // namespace kelda
