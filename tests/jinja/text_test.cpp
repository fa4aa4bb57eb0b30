#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(TextOfTemplates, KnowsWhoWroteEachByte) {
  Text text("ab", Provenance::kOwned);
  text.append("cd", Provenance::kInput);
  text.append("ef", Provenance::kOwned);
  text.append("gh", Provenance::kOwned);
  EXPECT_EQ(text.owned(), (std::vector<ByteSpan>{{0, 2}, {4, 8}}));
  EXPECT_EQ(text.provenance(), Provenance::kInput);
  EXPECT_EQ(text.provenance(4, 8), Provenance::kOwned);
  EXPECT_EQ(text.provenance(3, 5), Provenance::kInput);
  EXPECT_EQ(text.provenance(1, 3), Provenance::kInput);
  EXPECT_EQ(text.provenance(2, 4), Provenance::kInput);
  EXPECT_EQ(text.provenance(3, 3), Provenance::kOwned);
}

TEST(TextOfTemplates, SlicesAndAppendsKeepIt) {
  Text text("ab", Provenance::kOwned);
  text.append("cd", Provenance::kInput);
  text.append("ef", Provenance::kOwned);
  const Text middle = text.slice(1, 5);
  EXPECT_EQ(middle.bytes(), "bcde");
  EXPECT_EQ(middle.owned(), (std::vector<ByteSpan>{{0, 1}, {3, 4}}));
  Text twice("x", Provenance::kOwned);
  twice.append(middle);
  EXPECT_EQ(twice.owned(), (std::vector<ByteSpan>{{0, 2}, {4, 5}}));
  EXPECT_TRUE(text.slice(2, 4).owned().empty());
  EXPECT_TRUE(text.slice(6, 6).empty());
}

}  // namespace
}  // namespace kelda::jinja
