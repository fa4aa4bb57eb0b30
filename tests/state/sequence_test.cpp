#include "state/sequence.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"

namespace kelda {
namespace {

KvShape shape(std::vector<int64_t> windows = {0}) { return {KvType::kF16, 1, 16, std::move(windows)}; }

std::vector<BlockId> table(const Sequence& s, int group = 0) {
  const auto blocks = s.blocks(group);
  return {blocks.begin(), blocks.end()};
}

TEST(Sequence, TakesBlocksWhenTokensNeedThem) {
  KvCache cache(shape(), 1000);
  Sequence s(cache);
  EXPECT_EQ(s.length(), 0);
  s.reserve(1);
  EXPECT_EQ(cache.pool(0).n_used(), 1);
  s.advance(1);
  s.reserve(63);
  EXPECT_EQ(cache.pool(0).n_used(), 1);
  s.advance(63);
  s.reserve(1);
  EXPECT_EQ(cache.pool(0).n_used(), 2);
  s.reserve(0);
  EXPECT_EQ(s.length(), 64);
}

TEST(Sequence, ReturnsItsBlocksAtTheEnd) {
  KvCache cache(shape({0, 100}), 1000);
  {
    Sequence s(cache);
    s.reserve(300);
    s.advance(300);
    const Sequence moved(std::move(s));
    EXPECT_EQ(moved.length(), 300);
    EXPECT_GT(cache.pool(0).n_used(), 0);
  }
  EXPECT_EQ(cache.pool(0).n_used(), 0);
  EXPECT_EQ(cache.pool(1).n_used(), 0);
}

TEST(Sequence, RefusalNamesTheNumbersAndChangesNothing) {
  KvCache cache(shape({0, 100}), 64 * 4);
  Sequence a(cache), b(cache);
  a.reserve(100);
  a.advance(100);
  b.reserve(10);
  b.advance(10);
  const auto before = table(b);
  const int64_t free0 = cache.pool(0).n_free(), free1 = cache.pool(1).n_free();
  try {
    b.reserve(128);
    FAIL() << "was not refused";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory);
    EXPECT_STREQ(e.what(), "the KV cache is full: 2 more blocks of 64 tokens are needed, 1 of 4 are free");
  }
  EXPECT_EQ(table(b), before);
  EXPECT_EQ(b.length(), 10);
  EXPECT_EQ(cache.pool(0).n_free(), free0);
  EXPECT_EQ(cache.pool(1).n_free(), free1);
  b.reserve(64 + 54);  // what is there still fits
  EXPECT_EQ(cache.pool(0).n_free(), 0);
}

// Only the second group is short of blocks: the first must not have given any.
TEST(Sequence, RefusalOfOneGroupLeavesTheOthersAlone) {
  KvCache cache(shape({0, 100}), 64 * 3);
  Sequence hog(cache);
  std::vector<BlockId> taken;
  while (cache.pool(1).n_free() > 0) taken.push_back(cache.pool(1).take());
  Sequence s(cache);
  EXPECT_THROW(s.reserve(1), Error);
  EXPECT_EQ(cache.pool(0).n_used(), 0);
  EXPECT_TRUE(table(s, 0).empty());
  for (const BlockId b : taken) cache.pool(1).release(b);
  s.reserve(1);
}

TEST(Sequence, ForkSharesBlocksUntilSomebodyWrites) {
  KvCache cache(shape(), 1000);
  Sequence a(cache);
  a.reserve(100);
  std::memset(cache.layer(0).k(a.blocks(0)[1], 0), 0x11, static_cast<std::size_t>(cache.layer(0).head_bytes));
  a.advance(100);
  Sequence b = a.fork();
  EXPECT_EQ(b.length(), 100);
  EXPECT_EQ(table(a), table(b));
  EXPECT_EQ(cache.pool(0).n_used(), 2);

  b.reserve(1);  // writes into the second block
  EXPECT_EQ(table(a)[0], table(b)[0]);
  EXPECT_NE(table(a)[1], table(b)[1]);
  EXPECT_EQ(cache.pool(0).n_used(), 3);
  EXPECT_EQ(*cache.layer(0).k(b.blocks(0)[1], 0), std::byte{0x11});  // with what was there

  const auto before = table(a);
  a.reserve(1);  // alone by now: no copy
  EXPECT_EQ(table(a), before);
}

TEST(Sequence, ForkAtABlockBoundaryNeedsNoCopy) {
  KvCache cache(shape(), 1000);
  Sequence a(cache);
  a.reserve(128);
  a.advance(128);
  Sequence b = a.fork();
  b.reserve(1);
  EXPECT_EQ(table(b)[0], table(a)[0]);
  EXPECT_EQ(table(b)[1], table(a)[1]);
  EXPECT_EQ(cache.pool(0).n_used(), 3);
}

TEST(Sequence, ForkRefusedForTheCopyAlone) {
  KvCache cache(shape(), 128);
  Sequence a(cache);
  a.reserve(100);
  a.advance(100);
  Sequence b = a.fork();
  EXPECT_THROW(b.reserve(1), Error);  // no block for the copy
  EXPECT_EQ(table(a), table(b));
}

// Room reserved behind the fork's end is shared too; whoever writes there first gets blocks of its own.
TEST(Sequence, ForkOfReservedRoomDoesNotShareWrites) {
  KvCache cache(shape(), 1000);
  Sequence a(cache);
  a.reserve(200);
  a.advance(10);
  Sequence b = a.fork();
  b.reserve(190);
  a.reserve(190);
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_LT(i, table(a).size());
    ASSERT_LT(i, table(b).size());
    EXPECT_NE(table(a)[i], table(b)[i]) << i;
  }
}

TEST(Sequence, WindowFreesWhatNobodyCanSee) {
  KvCache cache(shape({100, 0}), 1000);
  Sequence s(cache);
  s.reserve(163);
  s.advance(163);  // the next token, 163, sees 64 … 163
  EXPECT_EQ(table(s, 0)[0], kNoBlock);
  EXPECT_NE(table(s, 0)[1], kNoBlock);
  EXPECT_NE(table(s, 1)[0], kNoBlock);
  EXPECT_EQ(cache.pool(0).n_used(), 2);
  EXPECT_EQ(cache.pool(1).n_used(), 3);
  Sequence early(cache);
  early.reserve(162);
  early.advance(162);  // token 162 sees 63 … 162
  EXPECT_NE(table(early, 0)[0], kNoBlock);
}

TEST(Sequence, WindowOfOneTextDoesNotFreeTheForks) {
  KvCache cache(shape({64}), 1000);
  Sequence a(cache);
  a.reserve(60);
  a.advance(60);
  Sequence b = a.fork();
  a.reserve(200);
  a.advance(200);
  EXPECT_EQ(table(a)[0], kNoBlock);
  EXPECT_NE(table(b)[0], kNoBlock);
  EXPECT_EQ(cache.pool(0).owners(table(b)[0]), 1);
}

TEST(Sequence, TruncateReturnsWholeBlocks) {
  KvCache cache(shape(), 1000);
  Sequence s(cache);
  s.reserve(300);
  s.advance(300);
  const auto before = table(s);
  s.truncate(128);
  EXPECT_EQ(s.length(), 128);
  EXPECT_EQ(cache.pool(0).n_used(), 2);
  s.truncate(65);
  EXPECT_EQ(cache.pool(0).n_used(), 2);
  EXPECT_EQ(table(s), (std::vector<BlockId>{before[0], before[1]}));
  s.truncate(0);
  EXPECT_EQ(cache.pool(0).n_used(), 0);
  s.reserve(1);
}

TEST(Sequence, TruncateGivesReservedRoomBack) {
  KvCache cache(shape(), 1000);
  Sequence s(cache);
  s.reserve(10);
  s.advance(10);
  s.reserve(200);
  s.truncate(10);
  EXPECT_EQ(cache.pool(0).n_used(), 1);
}

TEST(Sequence, TruncatedForkCopiesBeforeItWrites) {
  KvCache cache(shape(), 1000);
  Sequence a(cache);
  a.reserve(64);
  a.advance(64);
  Sequence b = a.fork();
  b.truncate(20);
  b.reserve(1);
  EXPECT_NE(table(a)[0], table(b)[0]);
}

TEST(Sequence, TruncateInsideTheWindowIsAllowed) {
  KvCache cache(shape({100}), 1000);
  Sequence s(cache);
  s.reserve(250);
  s.advance(250);  // block 0 and 1 are gone: 250 − 99 = 151
  EXPECT_EQ(table(s)[1], kNoBlock);
  EXPECT_NE(table(s)[2], kNoBlock);
  s.truncate(230);  // sees from 131, in block 2
  EXPECT_EQ(s.length(), 230);
}

TEST(Sequence, TruncateToTheOwnLengthIsAlwaysAllowed) {
  for (const int64_t window : {1, 2, 63, 64, 65}) {
    KvCache cache(shape({window}), 1000);
    Sequence s(cache);
    for (int i = 0; i < 200; ++i) {
      s.reserve(1);
      s.advance(1);
      s.truncate(s.length());
    }
    EXPECT_EQ(s.length(), 200);
  }
}

TEST(SequenceDeathTest, MisuseIsABug) {
  KvCache cache(shape({100}), 1000);
  Sequence s(cache);
  s.reserve(10);
  EXPECT_DEATH(s.advance(65), "length_");
  s.reserve(300);
  s.advance(300);
  EXPECT_DEATH(s.truncate(301), "n <= length_");
  EXPECT_DEATH(s.truncate(150), "kNoBlock");  // its window starts in a freed block
}

}  // namespace
}  // namespace kelda
