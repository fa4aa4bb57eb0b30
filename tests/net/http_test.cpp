#include "net/http.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace kelda::net {
namespace {

TEST(ContentRange, ReadsTheThreeFormsOfTheStandard) {
  const auto whole = parse_content_range("bytes 100-199/1000");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->first, 100u);
  EXPECT_EQ(whole->last, 199u);
  EXPECT_EQ(whole->total, 1000u);
  const auto open = parse_content_range("Bytes 0-0/*");
  ASSERT_TRUE(open);
  EXPECT_EQ(open->first, 0u);
  EXPECT_FALSE(open->total);
  const auto none = parse_content_range("bytes */42");
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->first);
  EXPECT_EQ(none->total, 42u);
}

TEST(ContentRange, RefusesEverythingElse) {
  for (const char* text :
       {"", "bytes", "bytes ", "bytes 1-2", "bytes 2-1/9", "bytes 1-9/9", "bytes a-b/c", "bytes */*",
        "bytes -1-2/9", "items 1-2/9", "bytes 1-99999999999999999999/*", "bytes 1-2/18446744073709551616"}) {
    EXPECT_FALSE(parse_content_range(text)) << text;
  }
}

TEST(ContentLength, IsANumberOrNothing) {
  ReplyHead head;
  EXPECT_FALSE(head.content_length());
  head.headers["content-length"] = "18446744073709551615";
  EXPECT_EQ(head.content_length(), 18446744073709551615u);
  for (const char* text : {"-1", "1,1", "18446744073709551616", "0x10", ""}) {
    head.headers["content-length"] = text;
    EXPECT_FALSE(head.content_length()) << text;
  }
}

TEST(DisplayUrl, HidesUserPasswordAndQuery) {
  EXPECT_EQ(display_url("https://me:secret@host/a/b?token=x#y"), "https://host/a/b");
  EXPECT_EQ(display_url("http://host:80/a@b"), "http://host:80/a@b");
  EXPECT_EQ(display_url("http://a@b@host"), "http://host");
  EXPECT_EQ(display_url("not a url"), "not a url");
}

TEST(Authority, IsHostAndPortAlone) {
  EXPECT_EQ(authority("https://me:secret@Host.Example:8443/a@b?c"), "host.example:8443");
  EXPECT_EQ(authority("http://host?x=http://other/"), "host");
  EXPECT_EQ(authority("http://host#f"), "host");
  EXPECT_NE(authority("http://host.example.evil/"), authority("http://host.example/"));
  EXPECT_EQ(authority("http://[::1]:80"), "[::1]:80");
}

TEST(Transfer, RefusesOtherSchemesThanHttp) {
  for (const char* url : {"file:///etc/passwd", "ftp://host/x", "httpx://host", "", "/etc/passwd"}) {
    try {
      transfer(url, {}, {}, {});
      ADD_FAILURE() << url;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUsage) << url;
    }
  }
}

TEST(StatusText, NamesTheCommonOnes) {
  EXPECT_EQ(status_text(404), "404 Not Found");
  EXPECT_EQ(status_text(599), "599");
}

}  // namespace
}  // namespace kelda::net
