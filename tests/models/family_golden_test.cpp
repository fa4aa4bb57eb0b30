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
#include "ops/pooling.h"

namespace kelda::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kTolerance = 1e-4;        // of a logit
constexpr double kVectorTolerance = 1e-5;  // of an encoder's values, which are about 1

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

// A file's network on the reference path: float32 weights, float32 cache, scalar kernels.
struct Reference {
  explicit Reference(const fs::path& path) : file(open_gguf(path)) {
    family.tensors(config, list);
    weights = load_weights(*file, list, Compute::kReference, pool, nullptr);
  }
  ThreadPool pool{2};
  std::unique_ptr<const ModelFile> file;
  const Family& family = find_family(file->metadata());
  const ModelConfig config = read_config(file->metadata());
  TensorList list;
  Weights weights;
  Exec exec{pool, kernels::scalar_table()};
  KvCache cache{kv_shape(config, KvType::kF32), config.n_ctx_train};
  Scratch scratch;
};

// Logits of every position, `chunk` tokens at a time.
std::vector<std::vector<float>> run(const fs::path& path, const std::vector<int32_t>& ids, int64_t chunk) {
  Reference r(path);
  const auto network = r.family.bind(r.weights, r.config);
  Plane logits;
  Sequence sequence(r.cache);
  std::vector<std::vector<float>> all;
  const auto n = static_cast<int64_t>(ids.size());
  for (int64_t at = 0; at < n; at += chunk) {
    const int64_t count = std::min(chunk, n - at);
    Batch batch;
    batch.add(sequence, std::span(ids).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count)),
              Batch::Logits::kAll);
    const Matrix<float> out = logits.shape(count, r.config.vocab_size);
    network->forward(batch, r.cache, r.scratch, r.exec, out);
    sequence.advance(count);
    for (int64_t i = 0; i < count; ++i) all.emplace_back(out.row(i), out.row(i) + out.cols);
  }
  return all;
}

// Vectors of every token, and the text's: [0] their mean, [1] the first, both of length 1.
struct Encoded {
  std::vector<std::vector<float>> tokens, texts;
};
Encoded encode(const fs::path& path, const std::vector<int32_t>& ids) {
  Reference r(path);
  const auto network = r.family.bind_encoder(r.weights, r.config);
  const auto n = static_cast<int64_t>(ids.size()), width = r.config.hidden_size;
  Plane hidden, vectors;
  Sequence sequence(r.cache);
  Batch batch;
  batch.add(sequence, ids, Batch::Logits::kNone);
  const Matrix<float> h = hidden.shape(n, width), v = vectors.shape(2, width);
  network->encode(batch, r.cache, r.scratch, r.exec, h);
  ops::mean_rows(r.exec, h, batch.runs, v.row_range(0, 1));
  ops::first_rows(r.exec, h, batch.runs, v.row_range(1, 1));
  ops::normalize_rows(r.exec, v);
  Encoded out;
  for (int64_t i = 0; i < n; ++i) out.tokens.emplace_back(h.row(i), h.row(i) + width);
  for (int64_t i = 0; i < 2; ++i) out.texts.emplace_back(v.row(i), v.row(i) + width);
  return out;
}

// The largest difference from what transformers answered. logits: of every position, or its vector.
double compare(const json& golden, const std::vector<std::vector<float>>& logits,
               double tolerance = kTolerance) {
  double worst = 0;
  const auto check = [&](double got, double expected, const std::string& what) {
    worst = std::max(worst, std::abs(got - expected));
    EXPECT_NEAR(got, expected, tolerance) << what;
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

double compare(const json& golden, const Encoded& encoded) {
  double worst = compare(golden, encoded.tokens, kVectorTolerance);
  const char* const names[] = {"mean", "cls"};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto expected = golden["vectors"][names[i]].get<std::vector<double>>();
    EXPECT_EQ(expected.size(), encoded.texts[i].size());
    for (std::size_t d = 0; d < expected.size(); ++d) {
      worst = std::max(worst, std::abs(encoded.texts[i][d] - expected[d]));
      EXPECT_NEAR(encoded.texts[i][d], expected[d], 1e-6) << names[i] << " dimension " << d;
    }
  }
  return worst;
}

// All at once, by whatever the file's family is.
double compare_file(const json& golden, const fs::path& path) {
  const auto ids = golden["ids"].get<std::vector<int32_t>>();
  const bool encoder = find_family(golden["arch"].get<std::string>())->role() == Role::kEncoder;
  return encoder ? compare(golden, encode(path, ids)) : compare(golden, run(path, ids, 1 << 20));
}

class FamilyGolden : public ::testing::TestWithParam<fs::path> {};

// BR-068 and BR-071, by the goldens with windows and with each rope scaling.
TEST_P(FamilyGolden, AnswersAsTransformersDoes) {
  const json golden = testing::family_golden(GetParam());
  const auto ids = golden["ids"].get<std::vector<int32_t>>();
  const fs::path path = write_model(golden);
  const double worst = compare_file(golden, path);
  std::printf("%s: worst difference %.2e\n", GetParam().stem().c_str(), worst);
  if (!golden.contains("vectors")) compare(golden, run(path, ids, 7));  // past a window in pieces
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
  const double worst = compare_file(golden, path);
  std::printf("%s, converted: worst difference %.2e\n", GetParam().stem().c_str(), worst);
}

INSTANTIATE_TEST_SUITE_P(Files, FamilyGolden, ::testing::ValuesIn(testing::family_goldens()),
                         [](const auto& each) { return each.param.stem().string(); });

// Which rotary base a layer has must not depend on whether its window is ever left.
TEST(FamilyGoldens, AWindowWiderThanTheTextChangesNothing) {
  json golden = testing::family_golden(testing::family_golden_folder() / "gemma3.json");
  const auto ids = golden["ids"].get<std::vector<int32_t>>();
  const auto logits = [&](int window) {  // the context is 256
    golden["metadata"]["gemma3.attention.sliding_window"] = window;
    const fs::path path = write_model(golden);
    auto all = run(path, ids, 1 << 20);
    fs::remove(path);
    return all;
  };
  const auto within = logits(255);
  EXPECT_EQ(logits(256), within);
  EXPECT_EQ(logits(300), within);
}

TEST(FamilyGoldens, CoverEveryFamily) {
  std::set<std::string> covered;
  for (const fs::path& path : testing::family_goldens()) covered.insert(testing::family_golden(path)["arch"]);
  for (const Family* f : families()) EXPECT_EQ(covered.count(std::string(f->name)), 1u) << f->name;
}

}  // namespace
}  // namespace kelda::models
