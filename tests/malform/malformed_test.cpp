// Every malformed file is refused with its message, every well-formed one beside it opens.
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "base/error.h"
#include "files/model_file.h"
#include "malform/cases.h"
#include "malform/gguf_builder.h"

namespace kelda::malform {
namespace {

void check(const Case& c, const std::filesystem::path& path) {
  SCOPED_TRACE(c.name);
  const bool refused_here = c.exit_status != 0 && c.stage == Stage::kContainer;
  try {
    const auto file = open_gguf(path);
    EXPECT_FALSE(refused_here) << "the file was accepted";
  } catch (const Error& e) {
    const std::string message = e.what();
    EXPECT_TRUE(refused_here) << message;
    EXPECT_EQ(traits(e.code()).exit_status, c.exit_status);
    EXPECT_NE(message.find(c.message), std::string::npos) << message << "\n  lacks: " << c.message;
    EXPECT_EQ(message.find(path.string()), 0U) << message;
  }
}

void check_all(const std::vector<Case>& cases) {
  const auto path =
      std::filesystem::path(::testing::TempDir()) / fmt::format("kelda-malformed-{}.gguf", ::getpid());
  for (const Case& c : cases) {
    write_file(path, c.bytes, c.file_bytes);
    check(c, path);
  }
  std::filesystem::remove(path);
}

TEST(MalformedGguf, HeadersAreRefusedWithTheirReason) { check_all(header_cases()); }
TEST(MalformedGguf, MetadataIsRefusedWithItsReason) { check_all(metadata_cases()); }
TEST(MalformedGguf, TensorTablesAreRefusedWithTheirReason) { check_all(tensor_cases()); }
TEST(MalformedGguf, FaultsOfTheModelAreLeftToItsLoader) { check_all(model_cases()); }

TEST(MalformedGguf, CasesHaveDistinctNamesAndAMessageEach) {
  std::set<std::string> names;
  for (const Case& c : all_cases()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_EQ(c.exit_status == 0, c.message.empty()) << c.name;
  }
}

}  // namespace
}  // namespace kelda::malform
