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

TEST(ValueOfTemplates, EqualObjectsHashEqually) {
  EXPECT_EQ(text_of("{{ [range(3), range(3), range(0, 3, 1)]|unique|list|length }}"), "1");
  EXPECT_EQ(text_of("{{ [range(0), range(5, 2)]|unique|list|length }}{{ [range(1, 2), range(1, 9, "
                    "8)]|unique|list|length }}"),
            "11");
  EXPECT_EQ(text_of("{% set s = 'a' %}{{ [s.upper, s.upper]|unique|list|length }}{{ [range, "
                    "range]|unique|list|length }}"),
            "11");
  EXPECT_EQ(text_of("{{ {'a': 1}.keys() == {'a': 1}.keys() }}{{ {'a': 1}.keys() == {'b': 1}.keys() }}"),
            "TrueFalse");
  EXPECT_EQ(text_of("{{ {'a': 1}.items() == {'a': 1}.items() }}{{ {'a': 1}.items() == {'a': 2}.items() }}"),
            "TrueFalse");
  EXPECT_EQ(text_of("{{ {'a': 1}.values() == {'a': 1}.values() }}{{ {'a': 1}.keys() == {'a': 1}.items() }}"),
            "FalseFalse");
  EXPECT_EQ(error_of("{{ [{'a': 1}.keys()]|unique|list }}"), "unhashable type: 'dict_keys'");
}

TEST(ValueOfTemplates, NotANumberIsItselfInsideOfOthers) {
  EXPECT_EQ(
      text_of(
          "{% set n = 'nan'|float %}{{ n == n }}{{ [n] == [n] }}{{ {n: 1}[n] }}{{ {n: 1, n: 2}|length }}"),
      "FalseTrue11");
}

// Whoever asks a value for what it is not gets an error that a rendering can report.
TEST(ValueOfTemplates, AskedForTheWrongKindThrows) {
  const Value one = Value::integer(1);
  EXPECT_THROW(one.as_text(), Failure);
  EXPECT_THROW(one.n_chars(), Failure);
  EXPECT_THROW(one.items(), Failure);
  EXPECT_THROW(one.as_dict(), Failure);
  EXPECT_THROW(one.as_object(), Failure);
  EXPECT_THROW(one.digits(), Failure);
  EXPECT_THROW(one.undefined_message(), Failure);
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
