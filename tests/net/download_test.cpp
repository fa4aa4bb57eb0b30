#include "net/download.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"

// What a server says and does is tested end to end by tests/e2e/pull_test.py; here is what needs none.
namespace kelda::net {
namespace {

namespace fs = std::filesystem;

// A port of this machine at which nobody listens: bound, so that nobody else takes it, but not listening.
class ClosedPort {
 public:
  ClosedPort() : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~ClosedPort() { ::close(fd_); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/file"; }

 private:
  int fd_;
  int port_ = 0;
};

class DownloadTest : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("no_proxy", "127.0.0.1", 1);
    folder_ = fs::temp_directory_path() / ("kelda-download-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(DownloadTest, WithoutAServerGivesUpAfterItsAttemptsAndLeavesNothing) {
  const ClosedPort port;
  DownloadOptions options;
  options.attempts = 2;
  int n_notices = 0;
  try {
    download(port.url(), folder_ / "file", options,
             {.progress = {}, .notice = [&](std::string_view) { ++n_notices; }});
    ADD_FAILURE() << "downloaded from nowhere";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kIo);
    EXPECT_NE(std::string(e.what()).find(port.url()), std::string::npos) << e.what();
  }
  EXPECT_EQ(n_notices, 1);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(DownloadTest, CancelledStopsAndKeepsWhatWasThere) {
  const ClosedPort port;
  const fs::path partial = partial_path(folder_ / "file");
  std::ofstream(partial) << "half";
  DownloadOptions options;
  options.expected_sha256 = std::string(64, 'a');
  options.http.cancelled = [] { return true; };
  try {
    download(port.url(), folder_ / "file", options, {});
    ADD_FAILURE() << "went on";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInterrupted);
  }
  EXPECT_EQ(fs::file_size(partial), 4u);
}

TEST_F(DownloadTest, APartialFileThatIsWholeNeedsNoServer) {
  const ClosedPort port;
  std::ofstream(partial_path(folder_ / "file")) << "abc";
  DownloadOptions options;
  options.expected_bytes = 3;
  options.expected_sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  const Downloaded done = download(port.url(), folder_ / "file", options, {});
  EXPECT_EQ(done.bytes, 3u);
  EXPECT_EQ(done.sha256, options.expected_sha256);
  EXPECT_EQ(fs::file_size(folder_ / "file"), 3u);
  EXPECT_FALSE(fs::exists(partial_path(folder_ / "file")));
}

TEST_F(DownloadTest, WhatTheCallerDoesNotAcceptGetsNoNameAndIsRemoved) {
  const ClosedPort port;
  std::ofstream(partial_path(folder_ / "file")) << "abc";
  DownloadOptions options;
  options.expected_bytes = 3;
  fs::path seen;
  options.accept = [&](const fs::path& whole) {
    seen = whole;
    fail(ErrorCode::kBadInput, "begins with abc");
  };
  EXPECT_THROW(download(port.url(), folder_ / "file", options, {}), Error);
  EXPECT_EQ(seen, partial_path(folder_ / "file"));
  EXPECT_TRUE(fs::is_empty(folder_));
  std::ofstream(partial_path(folder_ / "file")) << "abc";
  options.accept = [](const fs::path&) {};
  EXPECT_EQ(download(port.url(), folder_ / "file", options, {}).bytes, 3u);
  EXPECT_TRUE(fs::exists(folder_ / "file"));
}

TEST_F(DownloadTest, APartialFileIsNotFollowedThroughALink) {
  const ClosedPort port;
  std::ofstream(folder_ / "precious") << "keep";
  fs::create_symlink(folder_ / "precious", partial_path(folder_ / "file"));
  EXPECT_THROW(download(port.url(), folder_ / "file", {}, {}), Error);
  EXPECT_EQ(fs::file_size(folder_ / "precious"), 4u);
}

TEST_F(DownloadTest, FreeSpaceIsRequiredWithBothCountsInTheMessage) {
  EXPECT_NO_THROW(require_free_space(folder_ / "file", 1));
  try {
    require_free_space(folder_ / "file", uint64_t{1} << 62);
    ADD_FAILURE() << "a disk of four exbibytes";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kIo);
    EXPECT_NE(std::string(e.what()).find("4611686018427387904 bytes are needed"), std::string::npos)
        << e.what();
    EXPECT_NE(std::string(e.what()).find((folder_ / "file").string()), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace kelda::net
