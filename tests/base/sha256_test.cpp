#include "base/sha256.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"

namespace kelda {
namespace {

std::span<const std::byte> bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Expected digests: the examples of FIPS 180-4 and of NIST's test vectors.
TEST(Sha256, MatchesThePublishedExamples) {
  EXPECT_EQ(sha256_hex(bytes("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex(bytes("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, PiecesGiveTheDigestOfTheWhole) {
  const std::string million(1'000'000, 'a');
  Sha256 digest;
  for (std::size_t at = 0; at < million.size();) {
    const std::size_t n = std::min<std::size_t>(million.size() - at, 997);
    digest.update(bytes(million).subspan(at, n));
    at += n;
  }
  EXPECT_EQ(digest.hex(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, ReadsAFileAndReportsHowFarItIs) {
  const auto path = std::filesystem::temp_directory_path() / ("kelda-sha256-" + std::to_string(::getpid()));
  std::ofstream(path) << "abc";
  uint64_t last = 0;
  EXPECT_EQ(sha256_of_file(path,
                           [&](uint64_t n) {
                             last = n;
                             return true;
                           }),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(last, 3u);
  try {
    sha256_of_file(path, [](uint64_t) { return false; });
    ADD_FAILURE() << "went on although it was told to stop";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInterrupted);
  }
  std::filesystem::remove(path);
  EXPECT_THROW(sha256_of_file(path), Error);
}

TEST(Sha256, KnowsWhatADigestLooksLike) {
  const std::string good(64, 'a');
  EXPECT_TRUE(is_sha256_hex(good));
  EXPECT_FALSE(is_sha256_hex(good.substr(1)));
  for (const char wrong : {'A', 'g'}) {
    std::string bad = good;
    bad[0] = wrong;
    EXPECT_FALSE(is_sha256_hex(bad)) << wrong;
  }
}

}  // namespace
}  // namespace kelda
