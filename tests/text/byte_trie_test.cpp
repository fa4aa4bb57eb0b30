#include "text/byte_trie.h"

#include <gtest/gtest.h>

namespace kelda::text {
namespace {

ByteTrie::Node walk(const ByteTrie& t, std::string_view text) {
  ByteTrie::Node node = ByteTrie::kRoot;
  for (const char c : text) {
    node = t.child(node, static_cast<uint8_t>(c));
    if (node == ByteTrie::kNone) break;
  }
  return node;
}

TEST(ByteTrie, FindsStringsAndTheirBeginnings) {
  ByteTrie t;
  t.add("ab", 1);
  t.add("abc", 2);
  t.add("ax", 3);
  t.add("\xFF", 4);
  EXPECT_EQ(t.value(walk(t, "ab")), 1);
  EXPECT_EQ(t.value(walk(t, "abc")), 2);
  EXPECT_EQ(t.value(walk(t, "ax")), 3);
  EXPECT_EQ(t.value(walk(t, "\xFF")), 4);
  EXPECT_EQ(t.value(walk(t, "a")), -1);
  EXPECT_EQ(walk(t, "abd"), ByteTrie::kNone);
  EXPECT_EQ(walk(t, "b"), ByteTrie::kNone);
  EXPECT_EQ(t.depth(walk(t, "abc")), 3);
  EXPECT_EQ(t.parent(walk(t, "abc")), walk(t, "ab"));
  EXPECT_EQ(t.byte(walk(t, "abc")), 'c');
}

TEST(ByteTrie, TheFirstValueOfAStringStays) {
  ByteTrie t;
  t.add("x", 7);
  t.add("x", 8);
  EXPECT_EQ(t.value(walk(t, "x")), 7);
}

TEST(ByteTrie, ANodeMayHaveAllBytesBelowIt) {
  ByteTrie t;
  for (int b = 0; b < 256; ++b) t.add(std::string{'k', static_cast<char>(b)}, b);
  for (int b = 0; b < 256; ++b) EXPECT_EQ(t.value(walk(t, std::string{'k', static_cast<char>(b)})), b);
}

}  // namespace
}  // namespace kelda::text
