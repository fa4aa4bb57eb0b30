#include "learned/weights.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "files/gguf_writer.h"

namespace kelda {
namespace {

// A file of given tensors, values 0.25 · (i mod 17) − 2 in the given format.
class TensorFile {
 public:
  explicit TensorFile(
      const std::vector<std::tuple<std::string, std::vector<int64_t>, std::string_view>>& tensors)
      : path_(std::filesystem::temp_directory_path() / fmt::format("kelda-weights-{}.gguf", ::getpid())) {
    std::vector<TensorInfo> infos;
    std::vector<std::vector<std::byte>> data;
    for (const auto& [name, shape, format] : tensors) {
      TensorInfo t;
      t.name = name;
      t.shape = shape;
      t.format = quant::find_format(format);
      t.gguf_type = t.format->gguf_type;
      std::vector<float> values(static_cast<std::size_t>(t.n_elements()));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.25f * static_cast<float>(i % 17) - 2;
      data.emplace_back(static_cast<std::size_t>(t.rows() * quant::row_bytes(*t.format, t.cols())));
      for (int64_t r = 0; r < t.rows(); ++r) {
        t.format->quantize(values.data() + r * t.cols(),
                           data.back().data() + r * quant::row_bytes(*t.format, t.cols()), t.cols());
      }
      infos.push_back(t);
    }
    Metadata m;
    m.add("general.architecture", MetadataValue::Variant(std::string("none")));
    GgufWriter writer(path_, m, infos);
    for (const auto& d : data) writer.append(d);
    writer.commit();
    file_ = open_gguf(path_);
  }
  ~TensorFile() { std::filesystem::remove(path_); }
  const ModelFile& file() const { return *file_; }

 private:
  std::filesystem::path path_;
  std::unique_ptr<ModelFile> file_;
};

TensorList two_tensors(int64_t n_cols = 64) {
  TensorList list;
  list.matrix("a.weight", 100, n_cols);
  list.vector("n.weight", 64);
  return list;
}

Weights load(const TensorFile& f, const TensorList& list, Compute compute = Compute::kAuto,
             int n_threads = 2) {
  ThreadPool pool(n_threads);
  return load_weights(f.file(), list, compute, pool, nullptr);
}

std::string error_of(const TensorFile& f, const TensorList& list) {
  try {
    check_tensors(f.file(), list);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

// Each matrix of a stack has row groups of its own, also where its rows are no multiple of 16.
TEST(Weights, AStackGivesEachMatrixItsRows) {
  for (const std::string_view format : {std::string_view("f32"), std::string_view("q8_0")}) {
    const TensorFile f({{"e.weight", {5, 20, 64}, format}});
    TensorList list;
    list.stack("e.weight", 5, 20, 64);
    const Weights w = load(f, list, Compute::kAuto, 3);
    TensorList flat;
    flat.matrix("e.weight", 100, 64);
    const TensorFile same({{"e.weight", {100, 64}, format}});
    const Weights whole = load(same, flat);
    const auto stack = w.stack("e.weight");
    ASSERT_EQ(stack.size(), 5u);
    EXPECT_TRUE(w.has("e.weight"));
    std::vector<float> got(64), expected(64);
    for (std::size_t e = 0; e < 5; ++e) {
      EXPECT_EQ(stack[e].rows(), 20);
      for (int64_t r = 0; r < 20; ++r) {
        stack[e].unpack_row(r, got.data());
        whole.matrix("e.weight").unpack_row(static_cast<int64_t>(e) * 20 + r, expected.data());
        EXPECT_EQ(got, expected) << e << " " << r;
      }
    }
    EXPECT_EQ(packed_bytes(f.file(), list, Compute::kAuto), w.bytes());
    EXPECT_EQ(w.formats(), (std::vector<std::string_view>{format}));
    TensorList other;
    other.stack("e.weight", 4, 25, 64);
    EXPECT_NE(error_of(f, other).find("[4, 25, 64]"), std::string::npos);
  }
}

TEST(Weights, OptionalOnesOfAGroupAreAllThereOrNoneIs) {
  const auto list_of = [](int n) {
    TensorList list;
    list.matrix("a.weight", 100, 64);
    for (int i = 0; i < n; ++i) list.optional_vector(fmt::format("b{}.bias", i), 64, "bias");
    list.optional_vector("c.bias", 64, "other");
    return list;
  };
  const TensorFile f({{"a.weight", {100, 64}, "f32"}, {"b0.bias", {64}, "f32"}, {"b1.bias", {64}, "f32"}});
  EXPECT_NO_THROW(check_tensors(f.file(), list_of(2)));
  const std::string message = error_of(f, list_of(3));
  EXPECT_NE(message.find("\"b2.bias\" is missing"), std::string::npos) << message;
  const TensorFile late({{"a.weight", {100, 64}, "f32"}, {"b1.bias", {64}, "f32"}});
  EXPECT_NE(error_of(late, list_of(2)).find("\"b0.bias\" is missing, though \"b1.bias\""), std::string::npos);
}

TEST(Weights, GiveBackTheFilesNumbers) {
  for (const quant::FormatSpec* format : quant::formats()) {
    const int64_t n_cols = std::max<int64_t>(64, format->block_size);
    const TensorFile f({{"a.weight", {100, n_cols}, format->name}, {"n.weight", {64}, "f32"}});
    const Weights kept = load(f, two_tensors(n_cols));
    const Weights reference = load(f, two_tensors(n_cols), Compute::kReference);
    EXPECT_EQ(kept.matrix("a.weight").format().name, format->name);
    EXPECT_EQ(reference.matrix("a.weight").format().name, "f32");
    std::vector<float> a(static_cast<std::size_t>(n_cols)), b(a.size());
    for (int64_t r = 0; r < 100; ++r) {
      kept.matrix("a.weight").unpack_row(r, a.data());
      reference.matrix("a.weight").unpack_row(r, b.data());
      ASSERT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0) << format->name << " row " << r;
    }
    EXPECT_EQ(kept.vector("n.weight")[3], 0.25f * 3 - 2);
  }
}

TEST(Weights, AreTheSameForAnyNumberOfThreads) {
  const TensorFile f({{"a.weight", {100, 64}, "q4_1"}, {"n.weight", {64}, "f16"}});
  const Weights one = load(f, two_tensors(), Compute::kAuto, 1);
  const Weights four = load(f, two_tensors(), Compute::kAuto, 4);
  const auto &a = one.matrix("a.weight"), &b = four.matrix("a.weight");
  for (int64_t g = 0; g < a.n_groups(); ++g) {
    ASSERT_EQ(std::memcmp(a.group(g), b.group(g), static_cast<std::size_t>(a.group_bytes())), 0);
  }
}

TEST(Weights, BytesAreWhatWasForetold) {
  const TensorFile f({{"a.weight", {100, 64}, "q8_0"}, {"n.weight", {64}, "f32"}});
  for (const Compute compute : {Compute::kAuto, Compute::kReference}) {
    EXPECT_EQ(load(f, two_tensors(), compute).bytes(), packed_bytes(f.file(), two_tensors(), compute));
  }
}

// BR-074
TEST(Weights, ATiedTensorIsTheOtherOneUnlessTheFileHasIt) {
  TensorList list = two_tensors();
  list.tied_matrix("b.weight", "a.weight", 100, 64);
  const TensorFile tied({{"a.weight", {100, 64}, "q8_0"}, {"n.weight", {64}, "f32"}});
  const Weights w = load(tied, list);
  EXPECT_EQ(&w.matrix("b.weight"), &w.matrix("a.weight"));
  const TensorFile untied(
      {{"a.weight", {100, 64}, "q8_0"}, {"n.weight", {64}, "f32"}, {"b.weight", {100, 64}, "f16"}});
  const Weights u = load(untied, list);
  EXPECT_EQ(u.matrix("b.weight").format().name, "f16");
}

TEST(Weights, AnOptionalTensorMayBeAbsent) {
  TensorList list = two_tensors();
  list.optional_vector("bias", 64);
  const TensorFile f({{"a.weight", {100, 64}, "q8_0"}, {"n.weight", {64}, "f32"}});
  EXPECT_FALSE(load(f, list).has("bias"));
  EXPECT_TRUE(load(f, list).has("n.weight"));
}

TEST(CheckTensors, AMatrixOfOneRowMayBeStoredAsAVector) {
  for (const std::vector<int64_t>& stored : {std::vector<int64_t>{64}, std::vector<int64_t>{1, 64}}) {
    const TensorFile f({{"g.weight", stored, "f32"}, {"v.weight", stored, "f32"}});
    TensorList list;
    list.matrix("g.weight", 1, 64);
    list.vector("v.weight", 64);
    const Weights w = load(f, list);
    EXPECT_EQ(w.matrix("g.weight").rows(), 1);
    EXPECT_EQ(w.matrix("g.weight").cols(), 64);
    EXPECT_EQ(w.vector("v.weight")[3], 0.25f * 3 - 2);
  }
  const TensorFile column({{"g.weight", {64, 1}, "f32"}});
  TensorList list;
  list.matrix("g.weight", 1, 64);
  EXPECT_THROW(check_tensors(column.file(), list), Error);
}

TEST(CheckTensors, NamesWhatIsMissingUnknownOrOfAnotherShape) {
  const TensorFile missing({{"a.weight", {100, 64}, "f32"}});
  EXPECT_NE(error_of(missing, two_tensors()).find("n.weight"), std::string::npos);
  const TensorFile unknown(
      {{"a.weight", {100, 64}, "f32"}, {"n.weight", {64}, "f32"}, {"z.weight", {64}, "f32"}});
  EXPECT_NE(error_of(unknown, two_tensors()).find("z.weight"), std::string::npos);
  const TensorFile turned({{"a.weight", {64, 100}, "f32"}, {"n.weight", {64}, "f32"}});
  const std::string message = error_of(turned, two_tensors());
  EXPECT_NE(message.find("[64, 100]"), std::string::npos) << message;
  EXPECT_NE(message.find("[100, 64]"), std::string::npos) << message;
}

}  // namespace
}  // namespace kelda
