#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "base/as_anybody.h"
#include "base/error.h"

namespace kelda {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  FileTest() {
    // mkdtemp() puts letters of its own in place of the X's.
    std::string pattern = (fs::temp_directory_path() / "kelda-file-test-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  ~FileTest() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

template <typename Body>
Error error_of(const Body& body) {
  try {
    body();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {ErrorCode::kInternal, ""};
}

bool mentions(const Error& e, std::string_view text) {
  return std::string_view(e.what()).find(text) != std::string_view::npos;
}

TEST_F(FileTest, ReadsAnyRange) {
  const File file(write("a", "0123456789"));
  EXPECT_EQ(file.size(), 10u);
  std::vector<std::byte> out(4);
  file.read(3, out);
  EXPECT_EQ(std::memcmp(out.data(), "3456", 4), 0);
  file.read(6, out);
  EXPECT_EQ(std::memcmp(out.data(), "6789", 4), 0);
  file.read(10, {});
}

TEST_F(FileTest, ShortFileSaysWhereItEnds) {
  const File file(write("short", "01234"));
  std::vector<std::byte> out(4);
  const Error e = error_of([&] { file.read(3, out); });
  EXPECT_EQ(e.code(), ErrorCode::kBadInput);
  EXPECT_TRUE(mentions(e, "ends at byte 5, 2 more bytes")) << e.what();
  EXPECT_TRUE(mentions(e, "short"));
  EXPECT_EQ(error_of([&] { file.read(1000, out); }).code(), ErrorCode::kBadInput);
}

TEST_F(FileTest, OffsetBeyondWhatTheSystemKnowsIsAnErrorOfInput) {
  const File file(write("a", "01234"));
  std::vector<std::byte> out(4);
  EXPECT_EQ(error_of([&] { file.read(UINT64_MAX - 1, out); }).code(), ErrorCode::kBadInput);
  EXPECT_EQ(error_of([&] { file.read(uint64_t{1} << 63, out); }).code(), ErrorCode::kBadInput);
}

TEST_F(FileTest, EmptyFileIsAFile) {
  const File file(write("empty", ""));
  EXPECT_EQ(file.size(), 0u);
  EXPECT_EQ(read_text(file.path(), 0), "");
}

TEST_F(FileTest, MissingFileIsNotFound) {
  const Error e = error_of([&] { File(folder_ / "nowhere"); });
  EXPECT_EQ(e.code(), ErrorCode::kNotFound);
  EXPECT_TRUE(mentions(e, "nowhere"));
  write("file", "x");
  EXPECT_EQ(error_of([&] { File(folder_ / "file" / "below"); }).code(), ErrorCode::kNotFound);
}

TEST_F(FileTest, DirectoriesFifosAndDevicesAreRefusedWithoutWaiting) {
  const Error e = error_of([&] { File{folder_}; });
  EXPECT_EQ(e.code(), ErrorCode::kBadInput);
  EXPECT_TRUE(mentions(e, "directory"));
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { File(folder_ / "fifo"); }).code(), ErrorCode::kBadInput);
  EXPECT_EQ(error_of([&] { File("/dev/null"); }).code(), ErrorCode::kBadInput);
}

TEST_F(FileTest, LooksWithoutThrowing) {
  write("x", "");
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_TRUE(is_there(folder_ / "x") && !is_folder(folder_ / "x"));
  EXPECT_TRUE(is_there(folder_) && is_folder(folder_));
  for (const fs::path& none :
       {folder_ / "loop", folder_ / "absent", folder_ / "x" / "y", fs::path(std::string(300, 'x'))})
    EXPECT_FALSE(is_there(none) || is_folder(none)) << none;
}

TEST_F(FileTest, UnreadableFileIsAnIoError) {
  const auto path = write("secret", "x");
  fs::permissions(path, fs::perms::none);
  fs::permissions(folder_, fs::perms::others_exec, fs::perm_options::add);
  const AsAnybody somebody;
  if (!somebody.ready())
    GTEST_SKIP() << "this root may not become another user, and root may read everything";
  EXPECT_EQ(error_of([&] { File{path}; }).code(), ErrorCode::kIo);
}

TEST_F(FileTest, MovedFileStaysOpen) {
  File a(write("a", "hello"));
  const File b(std::move(a));
  std::vector<std::byte> out(5);
  b.read(0, out);
  EXPECT_EQ(std::memcmp(out.data(), "hello", 5), 0);
}

TEST_F(FileTest, ThreadsReadAtTheirOwnOffsets) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += static_cast<char>(i % 251);
  const File file(write("big", text));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::byte> out(100);
      for (std::size_t i = static_cast<std::size_t>(t); i < 900; i += 4) {
        file.read(i * 100, out);
        if (std::memcmp(out.data(), text.data() + i * 100, 100) != 0) ++wrong;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(FileTest, ReadTextHasALimit) {
  const auto path = write("text", "hello\n");
  EXPECT_EQ(read_text(path, 6), "hello\n");
  const Error e = error_of([&] { read_text(path, 5); });
  EXPECT_EQ(e.code(), ErrorCode::kBadInput);
  EXPECT_TRUE(mentions(e, "6 bytes; at most 5")) << e.what();
}

TEST_F(FileTest, CommittedFileReplacesTheOldOne) {
  const auto path = write("a", "old");
  AtomicFile file(path);
  file.write("new ");
  file.write("text");
  EXPECT_EQ(file.written(), 8u);
  EXPECT_EQ(read_text(path, 100), "old");  // until then
  file.commit();
  EXPECT_EQ(read_text(path, 100), "new text");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, AbandonedFileLeavesNothing) {
  const auto path = write("a", "old");
  {
    AtomicFile file(path);
    file.write("half");
  }
  EXPECT_EQ(read_text(path, 100), "old");
  EXPECT_EQ(entries(), 1u);
  { AtomicFile file(folder_ / "b"); }
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, FailedCommitCleansUpAndNamesThePath) {
  {
    AtomicFile file(folder_ / "taken");
    file.write("text");
    fs::create_directory(folder_ / "taken");  // by somebody else, meanwhile: a folder cannot be replaced
    write("taken/x", "1");
    const Error e = error_of([&] { file.commit(); });
    EXPECT_EQ(e.code(), ErrorCode::kIo);
    EXPECT_TRUE(mentions(e, "taken")) << e.what();
  }
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, ADeviceBehindALinkIsNotReplacedEither) {
  fs::create_symlink("/dev/null", folder_ / "null");
  const Error e = error_of([&] { AtomicFile(folder_ / "null"); });
  EXPECT_TRUE(mentions(e, "is not a regular file")) << e.what();
}

TEST_F(FileTest, WhatIsNotARegularFileIsNotReplaced) {
  fs::create_directory(folder_ / "folder");
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  for (const char* name : {"folder", "fifo"}) {
    const Error e = error_of([&] { AtomicFile(folder_ / name); });
    EXPECT_EQ(e.code(), ErrorCode::kBadInput) << name;
    EXPECT_TRUE(mentions(e, name)) << e.what();
  }
  EXPECT_EQ(entries(), 2u);
}

TEST_F(FileTest, FolderThatDoesNotExistIsAnIoError) {
  EXPECT_EQ(error_of([&] { AtomicFile(folder_ / "no" / "file"); }).code(), ErrorCode::kIo);
}

TEST_F(FileTest, TwoOfOnePathDoNotMeet) {
  const auto path = write("a", "old");
  for (const auto until : {AtomicFile::Until::kUnnamed, AtomicFile::Until::kNamed}) {
    AtomicFile first(path, until), second(path, until);
    first.write("first");
    second.write("sec");
    first.commit();
    EXPECT_EQ(read_text(path, 100), "first");
    second.write("ond");
    second.commit();
    EXPECT_EQ(read_text(path, 100), "second");
  }
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, WhereAllFilesHaveNamesThePartialOneIsRemoved) {
  const auto path = write("a", "old");
  {
    AtomicFile file(path, AtomicFile::Until::kNamed);
    file.write("half");
    EXPECT_EQ(entries(), 2u);
  }
  EXPECT_EQ(read_text(path, 100), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, KilledProcessLeavesNothing) {
  const int probe = ::open(folder_.c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (probe < 0) GTEST_SKIP() << "this file system has no files without a name";
  ::close(probe);
  const auto path = write("a", "old");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    try {
      AtomicFile file(path);
      file.write("half");
      ::kill(::getpid(), SIGKILL);
    } catch (...) {
      ::_exit(1);
    }
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read_text(path, 100), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, WhatALinkLeadsToIsReplacedAndTheLinkStays) {
  const auto real = write("real", "old");
  fs::create_symlink("real", folder_ / "link");
  AtomicFile file(folder_ / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_text(real, 100), "new");
  fs::create_symlink("nowhere", folder_ / "broken");
  const Error e = error_of([&] { AtomicFile(folder_ / "broken"); });
  EXPECT_EQ(e.code(), ErrorCode::kBadInput);
  EXPECT_TRUE(mentions(e, "broken")) << e.what();
}

TEST_F(FileTest, LinksThatLeadNowhereAreRefused) {
  fs::create_symlink("nowhere", folder_ / "broken");
  fs::create_symlink("loop", folder_ / "loop");
  fs::create_symlink(write("real", ""), folder_ / "link");
  for (const auto& [name, says] : {std::pair("broken", "to \"nowhere\", which does not exist"),
                                   std::pair("loop", "leads back to itself")}) {
    const Error e = error_of([&] { refuse_broken_link(folder_ / name); });
    EXPECT_EQ(e.code(), ErrorCode::kNotFound);
    EXPECT_TRUE(mentions(e, says)) << e.what();
  }
  for (const char* fine : {"link", "real", "absent"}) EXPECT_NO_THROW(refuse_broken_link(folder_ / fine));
}

}  // namespace
}  // namespace kelda
