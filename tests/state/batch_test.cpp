#include "state/batch.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda {
namespace {

using Logits = Batch::Logits;

KvShape small() { return {KvType::kF16, 1, 16, {0}}; }

TEST(Batch, LaysRunsOneAfterTheOther) {
  KvCache cache(small(), 1000);
  Sequence a(cache), b(cache);
  a.reserve(10);
  a.advance(10);
  Batch batch;
  batch.add(a, std::vector<int32_t>{7}, Logits::kLast);
  batch.add(b, std::vector<int32_t>{1, 2, 3}, Logits::kAll);
  EXPECT_EQ(batch.n_rows(), 4);
  EXPECT_EQ(batch.tokens, (std::vector<int32_t>{7, 1, 2, 3}));
  EXPECT_EQ(batch.positions, (std::vector<int32_t>{10, 0, 1, 2}));
  EXPECT_EQ(batch.logit_rows, (std::vector<int32_t>{0, 1, 2, 3}));
  ASSERT_EQ(batch.runs.size(), 2u);
  EXPECT_EQ(batch.runs[0].first_row, 0);
  EXPECT_EQ(batch.runs[0].n_tokens, 1);
  EXPECT_EQ(batch.runs[0].first_pos, 10);
  EXPECT_EQ(batch.runs[1].sequence, &b);
  EXPECT_EQ(batch.runs[1].first_row, 1);
  EXPECT_EQ(batch.runs[1].first_pos, 0);
  EXPECT_EQ(b.blocks(0).size(), 1u);  // room is reserved,
  EXPECT_EQ(b.length(), 0);           // but nothing is there yet
}

TEST(Batch, LogitsAreForTheRowsThatWereAskedFor) {
  KvCache cache(small(), 1000);
  Sequence a(cache), b(cache), c(cache);
  Batch batch;
  batch.add(a, std::vector<int32_t>{1, 2, 3}, Logits::kNone);
  batch.add(b, std::vector<int32_t>{4, 5}, Logits::kLast);
  batch.add(c, std::vector<int32_t>{}, Logits::kAll);
  EXPECT_EQ(batch.logit_rows, (std::vector<int32_t>{4}));
  EXPECT_EQ(batch.runs.size(), 2u);
  batch.clear();
  EXPECT_EQ(batch.n_rows(), 0);
  EXPECT_TRUE(batch.runs.empty() && batch.logit_rows.empty() && batch.positions.empty());
}

TEST(Batch, RefusedSequenceLeavesTheBatchAsItWas) {
  KvCache cache(small(), 64);
  Sequence a(cache), b(cache);
  Batch batch;
  batch.add(a, std::vector<int32_t>{1}, Logits::kLast);
  EXPECT_THROW(batch.add(b, std::vector<int32_t>{2}, Logits::kLast), Error);
  EXPECT_EQ(batch.n_rows(), 1);
  EXPECT_EQ(batch.runs.size(), 1u);
  EXPECT_EQ(batch.positions.size(), 1u);
  EXPECT_EQ(batch.logit_rows.size(), 1u);
}

}  // namespace
}  // namespace kelda
