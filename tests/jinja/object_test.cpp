#include "jinja/object.h"

#include "jinja/errors.h"
#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

class Plain final : public Object {
 public:
  std::string type_name() const override { return "Plain"; }
  std::string repr(Runtime&) override { return "<Plain>"; }
};

TEST(Object, CanDoNothingUnlessItSaysSo) {
  const Environment environment;
  Runtime rt(environment);
  const Value v = rt.object(std::make_shared<Plain>());
  Args args;
  EXPECT_THROW(rt.call(v, args), Failure);
  EXPECT_THROW(rt.length(v), Failure);
  EXPECT_EQ(v.as_object().attribute(rt, "x"), std::nullopt);
  EXPECT_EQ(v.as_object().item(rt, Value::integer(0)), std::nullopt);
  EXPECT_EQ(v.as_object().iterate(rt), nullptr);
  EXPECT_EQ(v.as_object().described(), "Plain object");
  EXPECT_TRUE(rt.truthy(v));
}

TEST(Object, HashesByIdentityUnlessItSaysOtherwise) {
  Plain a, b;
  EXPECT_EQ(a.hash(), a.hash());
  EXPECT_NE(a.hash(), b.hash());
  EXPECT_FALSE(a.equals(b));
}

}  // namespace
}  // namespace kelda::jinja
