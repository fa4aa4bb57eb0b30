#include "jinja/symbols.h"

#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Symbols, ANameAssignedInsideBeginsAsACopy) {
  Function function;
  FunctionSlots slots(function, 0);
  Symbols outer(slots, nullptr);
  outer.store("x");
  Symbols inner(slots, &outer);
  inner.load("x");
  EXPECT_EQ(inner.ref("x").slot, outer.ref("x").slot);
  Symbols assigned(slots, &outer);
  assigned.store("x");
  EXPECT_NE(assigned.ref("x").slot, outer.ref("x").slot);
  const Scope scope = assigned.scope();
  ASSERT_EQ(scope.loads.size(), 1u);
  EXPECT_EQ(scope.loads[0].kind, Load::Kind::kAlias);
}

TEST(Symbols, AnUnknownNameIsGlobal) {
  Function function;
  FunctionSlots slots(function, 0);
  Symbols symbols(slots, nullptr);
  symbols.load("messages");
  EXPECT_EQ(symbols.scope().loads[0].kind, Load::Kind::kGlobal);
  Function macro;
  FunctionSlots inside(macro, 1);
  Symbols body(inside, &symbols);
  body.load("messages");
  EXPECT_EQ(body.ref("messages").hops, 1);
}

}  // namespace
}  // namespace kelda::jinja
