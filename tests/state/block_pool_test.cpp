#include "state/block_pool.h"

#include <gtest/gtest.h>

#include <set>

namespace kelda {
namespace {

TEST(BlockPool, GivesEachBlockOnceThenNone) {
  BlockPool pool(5);
  std::set<BlockId> taken;
  for (int i = 0; i < 5; ++i) taken.insert(pool.take());
  EXPECT_EQ(taken, (std::set<BlockId>{0, 1, 2, 3, 4}));
  EXPECT_EQ(pool.take(), kNoBlock);
  EXPECT_EQ(pool.n_free(), 0);
  EXPECT_EQ(pool.n_used(), 5);
}

TEST(BlockPool, BlockIsFreeWhenItsLastOwnerLeaves) {
  BlockPool pool(1);
  const BlockId b = pool.take();
  EXPECT_EQ(pool.owners(b), 1);
  pool.share(b);
  pool.share(b);
  EXPECT_EQ(pool.owners(b), 3);
  EXPECT_FALSE(pool.release(b));
  EXPECT_FALSE(pool.release(b));
  EXPECT_EQ(pool.n_free(), 0);
  EXPECT_TRUE(pool.release(b));
  EXPECT_EQ(pool.n_free(), 1);
  EXPECT_EQ(pool.take(), b);
}

TEST(BlockPool, TakesTheMostRecentlyFreedFirst) {
  BlockPool pool(3);
  const BlockId a = pool.take(), b = pool.take();
  pool.release(a);
  pool.release(b);
  EXPECT_EQ(pool.take(), b);
  EXPECT_EQ(pool.take(), a);
}

TEST(BlockPool, MayBeEmpty) {
  BlockPool pool(0);
  EXPECT_EQ(pool.n_blocks(), 0);
  EXPECT_EQ(pool.take(), kNoBlock);
}

TEST(BlockPoolDeathTest, ReleasingOrSharingAFreeBlockIsABug) {
  BlockPool pool(2);
  const BlockId b = pool.take();
  pool.release(b);
  EXPECT_DEATH(pool.release(b), "owners");
  EXPECT_DEATH(pool.share(b), "owners");
}

}  // namespace
}  // namespace kelda
