#include "jinja/symbols.h"

#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Symbols, ANameAssignedInsideBeginsAsACopy) {
  Function function;
  FunctionSlots slots(function, 0);
  Effort effort;
  Symbols outer(slots, nullptr, effort);
  outer.store("x");
  Symbols inner(slots, &outer, effort);
  inner.load("x");
  EXPECT_EQ(inner.ref("x").slot, outer.ref("x").slot);
  Symbols assigned(slots, &outer, effort);
  assigned.store("x");
  EXPECT_NE(assigned.ref("x").slot, outer.ref("x").slot);
  const Scope scope = assigned.scope();
  ASSERT_EQ(scope.loads.size(), 1u);
  EXPECT_EQ(scope.loads[0].kind, Load::Kind::kAlias);
}

TEST(Symbols, AnUnknownNameIsGlobal) {
  Function function;
  FunctionSlots slots(function, 0);
  Effort effort;
  Symbols symbols(slots, nullptr, effort);
  symbols.load("messages");
  EXPECT_EQ(symbols.scope().loads[0].kind, Load::Kind::kGlobal);
  Function macro;
  FunctionSlots inside(macro, 1);
  Symbols body(inside, &symbols, effort);
  body.load("messages");
  EXPECT_EQ(body.ref("messages").hops, 1);
}

TEST(Symbols, WhatIsLearnedApartIsTakenBackUntilItIsMerged) {
  Function function;
  FunctionSlots slots(function, 0);
  Effort effort;
  Symbols symbols(slots, nullptr, effort);
  symbols.load("known");
  const auto learned = symbols.apart([&] {
    symbols.store("known");
    symbols.load("read");
    symbols.merge({symbols.apart([&] { symbols.store("deep"); })});
  });
  EXPECT_EQ(symbols.scope().loads.size(), 1u);
  symbols.merge({learned});
  const Scope scope = symbols.scope();
  ASSERT_EQ(scope.loads.size(), 3u);
  for (const Load& load : scope.loads) EXPECT_EQ(load.kind, Load::Kind::kGlobal) << load.name;
}

}  // namespace
}  // namespace kelda::jinja
