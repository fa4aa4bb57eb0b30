#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(ValueOfTemplates, EqualValuesHashEqually) {
  const Value one = Value::integer(1), one_and_nothing = Value::real(1.0), yes = Value::boolean(true);
  EXPECT_TRUE(equal(one, one_and_nothing));
  EXPECT_TRUE(equal(one, yes));
  EXPECT_EQ(hash(one), hash(one_and_nothing));
  EXPECT_EQ(hash(one), hash(yes));
  EXPECT_FALSE(equal(Value::integer((int64_t{1} << 53) + 1), Value::real(0x1p53)));
  EXPECT_EQ(hash(Value::list({})), std::nullopt);
  EXPECT_TRUE(hash(Value::tuple({one})).has_value());
  EXPECT_EQ(hash(Value::tuple({Value::list({})})), std::nullopt);
}

TEST(ValueOfTemplates, KnowsDepthAndWeight) {
  Value v = Value::list({});
  for (int i = 0; i < 40; ++i) v = Value::list({v, v});
  EXPECT_EQ(v.depth(), 41);
  EXPECT_GT(v.weight(), int64_t{1} << 40);
}

TEST(ValueOfTemplates, NamesTypesAsPythonDoes) {
  EXPECT_EQ(type_name(Value::none()), "NoneType");
  EXPECT_EQ(object_type(Value::none()), "None");
  EXPECT_EQ(object_type(Value::string("", Provenance::kInput)), "str object");
  EXPECT_EQ(Value::undefined("x").undefined_message(), "'x' is undefined");
  EXPECT_EQ(
      Value::undefined_member("dict object", Value::string("a", Provenance::kInput)).undefined_message(),
      "'dict object' has no attribute 'a'");
  EXPECT_EQ(Value::undefined_member("list object", Value::integer(3)).undefined_message(),
            "list object has no element 3");
}

}  // namespace
}  // namespace kelda::jinja
