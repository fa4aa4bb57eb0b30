#include "calc/step_work.h"

#include <gtest/gtest.h>

#include "learned/weights.h"
#include "models/family.h"
#include "models/tiny_model.h"

namespace kelda::calc {
namespace {

struct Opened {
  explicit Opened(std::string_view family, std::string_view format = "q4_1") {
    const models::Family& f = *models::find_family(family);
    const auto path = testing::write_tiny_model(f, {.format = format});
    file = open_gguf(path);
    std::filesystem::remove(path);
    config = models::read_config(file->metadata());
    f.tensors(config, tensors);
  }
  std::unique_ptr<ModelFile> file;
  ModelConfig config;
  TensorList tensors;
};

uint64_t read_bytes(const StepWork& work) {
  uint64_t sum = work.vector_bytes;
  for (const MatrixWork& m : work.matrices) sum += m.shared_bytes + m.sequence_bytes;
  return sum;
}

TEST(StepWork, OfATiedHeadReadsEverythingThatIsPacked) {
  const Opened o("llama");
  ASSERT_EQ(o.file->find("output.weight"), nullptr) << "the tiny model's head is its table of tokens";
  const StepWork work = step_work(*o.file, o.tensors, o.config);
  EXPECT_EQ(read_bytes(work), packed_bytes(*o.file, o.tensors, Compute::kAuto));
}

TEST(StepWork, MultipliesEveryMatrixOnce) {
  const Opened o("llama");
  uint64_t elements = 0, macs = 0;
  for (const TensorSpec& spec : o.tensors.specs()) {
    const TensorInfo* t = o.file->find(spec.name);
    if (t != nullptr && spec.kind == TensorSpec::Kind::kMatrix)
      elements += static_cast<uint64_t>(t->n_elements());
  }
  bool has_head = false;
  for (const MatrixWork& m : step_work(*o.file, o.tensors, o.config).matrices) {
    macs += m.macs;
    has_head |= m.head;
  }
  EXPECT_EQ(macs, elements);
  EXPECT_TRUE(has_head);
}

TEST(StepWork, OfExpertsCountsThoseThatATokenTakes) {
  const Opened o("qwen3moe");
  const StepWork work = step_work(*o.file, o.tensors, o.config);
  uint64_t stacked = 0, taken = 0;
  for (const TensorSpec& spec : o.tensors.specs()) {
    const TensorInfo* t = o.file->find(spec.name);
    if (t == nullptr || spec.kind != TensorSpec::Kind::kStack) continue;
    const auto one = quant::packed_bytes(*t->format, t->rows() / spec.shape[0], t->cols());
    stacked += *one * static_cast<uint64_t>(spec.shape[0]);
  }
  for (const MatrixWork& m : work.matrices) taken += m.sequence_bytes;
  ASSERT_GT(stacked, 0u);
  EXPECT_EQ(taken, stacked / static_cast<uint64_t>(o.config.n_experts) *
                       static_cast<uint64_t>(o.config.n_experts_used));
}

TEST(StepWork, OfTablesReadsOneRow) {
  const Opened o("gpt2", "f32");
  const StepWork work = step_work(*o.file, o.tensors, o.config);
  EXPECT_GT(work.table_bytes, 0u);
  EXPECT_LE(work.table_bytes, 2u * 4u * static_cast<uint64_t>(o.config.hidden_size + 16));
}

TEST(KvPart, ReadsTheKeysThatAStepSees) {
  const KvShape kv = {KvType::kF16, 2, 16, {0, 100}};
  const Part part = kv_part(kv, 4, 1000);
  EXPECT_EQ(part.sequence_bytes, (1000 + 100) * 2 * 16 * 2 * 2);
  EXPECT_EQ(part.sequence_macs, (1000 + 100) * 4 * 16 * 2);
  EXPECT_EQ(part.shared_bytes, 0);
}

TEST(PartsOf, KeepEveryByte) {
  const Opened o("llama");
  const StepWork work = step_work(*o.file, o.tensors, o.config);
  double bytes = 0;
  for (const Part& part : parts_of(work)) bytes += part.bytes(1);
  EXPECT_EQ(bytes, static_cast<double>(read_bytes(work) + work.table_bytes));
}

}  // namespace
}  // namespace kelda::calc
