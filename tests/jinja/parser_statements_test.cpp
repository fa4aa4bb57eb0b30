#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(ParserStatements, GivesWhatJinja2Gives) { expect_golden("parser_statements"); }

TEST(ParserStatements, TagsOfOtherFilesAreRefusedByName) {
  for (const char* tag :
       {"include 'x'", "extends 'x'", "import 'x' as y", "from 'x' import y", "block x", "autoescape true"}) {
    EXPECT_NE(error_of("{% " + std::string(tag) + " %}").find("is not available"), std::string::npos) << tag;
  }
}

TEST(ParserStatements, JumpsOutsideOfLoopsAreRefused) {
  EXPECT_EQ(error_of("{% break %}"), "'break' outside loop");
  EXPECT_EQ(error_of("{% for x in [1] %}{% macro m() %}{% continue %}{% endmacro %}{% endfor %}"),
            "'continue' outside loop");
}

}  // namespace
}  // namespace kelda::jinja
