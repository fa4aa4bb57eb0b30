// Every family against Hugging Face transformers in float32: tiny networks of formula weights, of which
// tests/golden/families/NAME.json says what they answered. Made by scripts/make_family_golden.py.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "files/gguf_writer.h"
#include "kernels/kernel_table.h"
#include "models/family.h"
#include "models/family_goldens.h"

namespace kelda::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kTolerance = 1e-4;  // of a logit

fs::path write_model(const json& golden) {
  std::vector<TensorInfo> infos;
  std::vector<std::vector<float>> data;
  for (const auto& [name, shape] : golden["tensors"].items()) {
    TensorInfo t;
    t.name = name;
    t.shape = shape.get<std::vector<int64_t>>();
    t.format = quant::find_format(std::string_view("f32"));
    t.gguf_type = t.format->gguf_type;
    data.push_back(testing::golden_values(golden, name));
    infos.push_back(std::move(t));
  }
  static int n_written = 0;
  const fs::path path =
      fs::temp_directory_path() / fmt::format("kelda-golden-{}-{}.gguf", ::getpid(), n_written++);
  GgufWriter writer(path, testing::golden_metadata(golden), infos);
  for (const auto& values : data) writer.append(std::as_bytes(std::span(values)));
  writer.commit();
  return path;
}

// Logits of every position, `chunk` tokens at a time, by the reference path: float32 weights, float32 cache.
std::vector<std::vector<float>> run(const fs::path& path, const std::vector<int32_t>& ids, int64_t chunk) {
  ThreadPool pool(2);
  const auto file = open_gguf(path);
  const Family& family = find_family(file->metadata());
  const ModelConfig config = read_config(file->metadata());
  TensorList list;
  family.tensors(config, list);
  const Weights weights = load_weights(*file, list, Compute::kReference, pool, nullptr);
  const auto network = family.bind(weights, config);
  Exec exec{pool, kernels::scalar_table()};
  KvCache cache(kv_shape(config, KvType::kF32), config.n_ctx_train);
  Scratch scratch;
  Plane logits;
  Sequence sequence(cache);
  std::vector<std::vector<float>> all;
  const auto n = static_cast<int64_t>(ids.size());
  for (int64_t at = 0; at < n; at += chunk) {
    const int64_t count = std::min(chunk, n - at);
    Batch batch;
    batch.add(sequence, std::span(ids).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count)),
              Batch::Logits::kAll);
    const Matrix<float> out = logits.shape(count, config.vocab_size);
    network->forward(batch, cache, scratch, exec, out);
    sequence.advance(count);
    for (int64_t i = 0; i < count; ++i) all.emplace_back(out.row(i), out.row(i) + out.cols);
  }
  return all;
}

// The largest difference from what transformers answered.
double compare(const json& golden, const std::vector<std::vector<float>>& logits) {
  double worst = 0;
  const auto check = [&](double got, double expected, const std::string& what) {
    worst = std::max(worst, std::abs(got - expected));
    EXPECT_NEAR(got, expected, kTolerance) << what;
  };
  for (const json& top : golden["top"]) {
    const auto pos = top["pos"].get<std::size_t>();
    for (std::size_t i = 0; i < top["ids"].size(); ++i) {
      const auto id = top["ids"][i].get<std::size_t>();
      check(logits[pos][id], top["logits"][i], fmt::format("position {} token {}", pos, id));
    }
  }
  for (std::size_t pos = 0; pos < logits.size(); ++pos) {
    double sum = 0, size = 0;
    for (const float x : logits[pos]) {
      sum += x;
      size += std::abs(x);
    }
    const auto n = static_cast<double>(logits[pos].size());
    check(sum / n, golden["mean"][pos], fmt::format("mean at position {}", pos));
    check(size / n, golden["mean_abs"][pos], fmt::format("mean size at position {}", pos));
  }
  return worst;
}

class FamilyGolden : public ::testing::TestWithParam<fs::path> {};

TEST_P(FamilyGolden, AnswersAsTransformersDoes) {
  const json golden = testing::family_golden(GetParam());
  const auto ids = golden["ids"].get<std::vector<int32_t>>();
  const fs::path path = write_model(golden);
  const double worst = compare(golden, run(path, ids, 1 << 20));
  std::printf("%s: worst difference of a logit %.2e\n", GetParam().stem().c_str(), worst);
  compare(golden, run(path, ids, 7));  // past a window in pieces
  fs::remove(path);
}

// The same networks as files of another writer: KELDA_FAMILY_GGUFS is the script's --convert folder.
TEST_P(FamilyGolden, AnswersTheSameForAnotherConvertersFile) {
  const char* folder = std::getenv("KELDA_FAMILY_GGUFS");
  if (folder == nullptr) GTEST_SKIP() << "KELDA_FAMILY_GGUFS is not set";
  const fs::path path = fs::path(folder) / (GetParam().stem().string() + ".gguf");
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  const json golden = testing::family_golden(GetParam());
  const std::string window = golden["arch"].get<std::string>() + ".attention.sliding_window";
  if (golden["metadata"].contains(window) && !open_gguf(path)->metadata().has(window)) {
    GTEST_SKIP() << "the converter leaves out " << window << ": the file does not say what the network does";
  }
  const double worst = compare(golden, run(path, golden["ids"].get<std::vector<int32_t>>(), 1 << 20));
  std::printf("%s, converted: worst difference of a logit %.2e\n", GetParam().stem().c_str(), worst);
}

INSTANTIATE_TEST_SUITE_P(Files, FamilyGolden, ::testing::ValuesIn(testing::family_goldens()),
                         [](const auto& each) { return each.param.stem().string(); });

TEST(FamilyGoldens, CoverEveryFamily) {
  std::set<std::string> covered;
  for (const fs::path& path : testing::family_goldens()) covered.insert(testing::family_golden(path)["arch"]);
  for (const Family* f : families()) EXPECT_EQ(covered.count(std::string(f->name)), 1u) << f->name;
}

}  // namespace
}  // namespace kelda::models
