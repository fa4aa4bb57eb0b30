// Every malformed file is refused with its message, every well-formed one beside it opens.
#include <gtest/gtest.h>

#include "files/model_file.h"
#include "malform/cases.h"
#include "malform/check_cases.h"

namespace kelda::malform {
namespace {

void check(const std::vector<Case>& cases) {
  check_all(cases, [](const std::filesystem::path& path) { return open_gguf(path); });
}

TEST(MalformedGguf, HeadersAreRefusedWithTheirReason) { check(header_cases()); }
TEST(MalformedGguf, MetadataIsRefusedWithItsReason) { check(metadata_cases()); }
// BR-107
TEST(MalformedGguf, TensorTablesAreRefusedWithTheirReason) { check(tensor_cases()); }
// BR-080
TEST(MalformedGguf, SplitSetsAreRefusedWithTheirReason) { check(split_cases()); }
TEST(MalformedGguf, FaultsOfTheModelAreLeftToItsLoader) { check(model_cases()); }
TEST(MalformedGguf, FaultsOfEncodersAreLeftToTheirLoader) { check(encoder_cases()); }

TEST(MalformedGguf, CasesHaveDistinctNamesAndAMessageEach) { check_names(all_cases()); }

}  // namespace
}  // namespace kelda::malform
