#include "tensor/buffer.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"

namespace kelda {
namespace {

uintptr_t address(const Buffer& b) { return reinterpret_cast<uintptr_t>(b.data()); }

TEST(Buffer, IsZeroAndAligned) {
  for (const uint64_t n :
       {uint64_t{1}, uint64_t{63}, uint64_t{4096}, uint64_t{100000}, (uint64_t{2} << 20) - 1}) {
    Buffer b(n);
    EXPECT_EQ(b.size(), n);
    EXPECT_EQ(address(b) % 64, 0u);
    for (uint64_t i = 0; i < n; ++i) ASSERT_EQ(b.data()[i], std::byte{0});
    std::memset(b.data(), 0xFF, n);  // all of it is ours
  }
}

TEST(Buffer, LargeOnesAreAlignedToHugePages) {
  Buffer b(uint64_t{5} << 20);
  EXPECT_EQ(address(b) % (2u << 20), 0u);
  b.data()[b.size() - 1] = std::byte{1};
}

TEST(Buffer, EmptyOneHasNoMemory) {
  const Buffer none, zero(0);
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(zero.data(), nullptr);
  EXPECT_EQ(zero.size(), 0u);
}

TEST(Buffer, ReservingIsNotTaking) {
  Buffer b(uint64_t{1} << 40);  // a terabyte of addresses
  b.data()[uint64_t{1} << 39] = std::byte{1};
  EXPECT_EQ(b.data()[(uint64_t{1} << 39) + 1], std::byte{0});
}

TEST(Buffer, ImpossibleSizeIsOutOfMemoryNamingIt) {
  for (const uint64_t n : {UINT64_MAX, UINT64_MAX - 4096, uint64_t{1} << 60}) {
    try {
      Buffer b(n);
      FAIL() << n << " bytes were reserved";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory);
      EXPECT_NE(std::string(e.what()).find(std::to_string(n)), std::string::npos) << e.what();
    }
  }
}

TEST(Buffer, MovesKeepTheMemory) {
  Buffer a(100);
  a.as<float>()[3] = 2.5f;
  const std::byte* where = a.data();
  Buffer b(std::move(a));
  EXPECT_EQ(b.data(), where);
  Buffer c;
  c = std::move(b);
  EXPECT_EQ(c.data(), where);
  EXPECT_EQ(c.size(), 100u);
  EXPECT_EQ(c.as<float>()[3], 2.5f);
}

TEST(Buffer, DiscardedPagesReadAsZeroAndTheirNeighboursStay) {
  Buffer b(10 * 4096);
  std::memset(b.data(), 0xAB, b.size());
  b.discard(4096, 3 * 4096);
  EXPECT_EQ(b.data()[4095], std::byte{0xAB});
  EXPECT_EQ(b.data()[4096], std::byte{0});
  EXPECT_EQ(b.data()[4 * 4096 - 1], std::byte{0});
  EXPECT_EQ(b.data()[4 * 4096], std::byte{0xAB});
  b.discard(5 * 4096 + 1, 4096);  // no whole page in it
  EXPECT_EQ(b.data()[5 * 4096 + 1], std::byte{0xAB});
  EXPECT_EQ(b.data()[6 * 4096], std::byte{0xAB});
  b.discard(b.size(), 0);
}

TEST(BufferDeathTest, DiscardBeyondTheEndIsABug) {
  Buffer b(8192);
  EXPECT_DEATH(b.discard(4096, 4097), "size_");
  EXPECT_DEATH(b.discard(UINT64_MAX, 2), "size_");
}

}  // namespace
}  // namespace kelda
