#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(NumberFilters, GivesWhatJinja2Gives) { expect_golden("filters_number"); }

TEST(NumberFilters, NumbersOfTheConversationStayInput) {
  EXPECT_EQ(marked("{{ n|abs }}{{ m|int }}{{ 3|abs }}", R"({"m": "5", "n": -4})"), "45‹3›");
}

TEST(NumberFilters, WhatANumberOfTheConversationChangesIsInput) {
  EXPECT_EQ(marked("{{ '11'|int(base=n) }}{{ 1.25|round(n) }}", R"({"n": 2})"), "31.25");
}

TEST(NumberFilters, FileSizesTakeAnyTruth) {
  EXPECT_EQ(text_of("{{ 5000|filesizeformat('x') }}"), "4.9 KiB");
}

}  // namespace
}  // namespace kelda::jinja
