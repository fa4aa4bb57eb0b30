#include "base/naming.h"

#include <gtest/gtest.h>

namespace kelda {
namespace {

std::string message_of(std::string_view thrown) {
  try {
    naming("dir/file", [&] { fail(ErrorCode::kBadInput, "{}", thrown); });
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    return e.what();
  }
  return "";
}

TEST(Naming, PutsThePathBeforeAMessageOnce) {
  EXPECT_EQ(message_of("key 'a' is missing"), "dir/file: key 'a' is missing");
  EXPECT_EQ(message_of("dir/file: no such file"), "dir/file: no such file");
  EXPECT_EQ(message_of("dir/file/part: no such file"), "dir/file/part: no such file");
  EXPECT_EQ(message_of("dir/files are many"), "dir/file: dir/files are many");
  EXPECT_EQ(naming("dir/file", [] { return 7; }), 7);
}

}  // namespace
}  // namespace kelda
