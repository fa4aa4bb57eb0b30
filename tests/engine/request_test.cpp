#include "engine/request.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace kelda {
namespace {

TEST(Request, EveryEndAndEveryRuleHasANameOfItsOwn) {
  EXPECT_EQ(name(FinishReason::kStop), "stop");
  EXPECT_EQ(name(FinishReason::kLength), "length");
  EXPECT_EQ(name(FinishReason::kTime), "time");
  EXPECT_EQ(name(FinishReason::kCancelled), "cancelled");
  EXPECT_EQ(name(FinishReason::kError), "error");
  EXPECT_EQ(name(StopRule::kNone), "");
  std::set<std::string_view> names;
  for (const StopRule rule : {StopRule::kEndToken, StopRule::kStopToken, StopRule::kStopText,
                              StopRule::kMaxTokens, StopRule::kWindow, StopRule::kTimeLimit}) {
    names.insert(name(rule));
  }
  EXPECT_EQ(names.size(), 6u);
}

}  // namespace
}  // namespace kelda
