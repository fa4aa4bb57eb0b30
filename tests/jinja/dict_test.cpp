#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(DictOfTemplates, GivesWhatJinja2Gives) { expect_golden("dict"); }

TEST(DictOfTemplates, KeepsOrderAndFindsByHash) {
  Dict dict;
  for (int i = 0; i < 1000; ++i) dict.set("key" + std::to_string(i), Value::integer(i));
  EXPECT_EQ(dict.size(), 1000u);
  EXPECT_EQ(dict.find("key777")->as_int(), 777);
  EXPECT_EQ(dict.items()[500].first.str(), "key500");
  EXPECT_EQ(dict.find("nosuch"), nullptr);
  dict.set("key5", Value::none());
  EXPECT_EQ(dict.size(), 1000u);
  EXPECT_EQ(dict.find("key999")->as_int(), 999);
}

}  // namespace
}  // namespace kelda::jinja
