#include "jinja/search.h"

#include <gtest/gtest.h>

#include <string>

namespace kelda::jinja {
namespace {

TEST(Search, FindsAsTheLibraryDoes) {
  const std::string_view all = "abcabcab";
  for (const std::string_view wanted : {"", "a", "ab", "cab", "abcabcab", "abcabcabc", "x", "bc"}) {
    for (std::size_t from = 0; from <= all.size() + 1; ++from) {
      EXPECT_EQ(find_text(all, wanted, from), all.find(wanted, from)) << wanted << " " << from;
    }
    EXPECT_EQ(rfind_text(all, wanted), all.rfind(wanted)) << wanted;
  }
  EXPECT_EQ(find_text("", ""), 0u);
  EXPECT_EQ(rfind_text("", "a"), std::string_view::npos);
}

// Half a second by trying each place; linear here. The test's own time limit is the bound.
TEST(Search, TakesLinearTimeForTextsMadeToTakeLonger) {
  const std::string all(4'000'000, 'a');
  const std::string wanted = std::string(2'000'000, 'a') + "b", other = "b" + std::string(2'000'000, 'a');
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(find_text(all, wanted), std::string_view::npos);
    EXPECT_EQ(rfind_text(all, other), std::string_view::npos);
  }
}

}  // namespace
}  // namespace kelda::jinja
