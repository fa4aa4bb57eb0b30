#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Builtins, GivesWhatJinja2Gives) { expect_golden("builtins"); }

TEST(Builtins, AnUnknownFilterNamesTheKnownOnes) {
  const std::string error = error_of("{{ 1|nosuch }}");
  EXPECT_NE(error.find("No filter named 'nosuch'."), std::string::npos);
  EXPECT_NE(error.find("tojson"), std::string::npos);
}

}  // namespace
}  // namespace kelda::jinja
