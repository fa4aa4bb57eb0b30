#include "files/gguf_cursor.h"

#include <gtest/gtest.h>

#include "files/gguf_layout.h"
#include "files/scratch_file.h"
#include "malform/gguf_builder.h"

namespace kelda::gguf {
namespace {

TEST(Cursor, ReadsAcrossTheBordersOfItsBuffer) {
  std::string bytes;
  for (uint32_t i = 0; bytes.size() < 300000; ++i) bytes += malform::raw(i);
  const ScratchFile scratch;
  malform::write_file(scratch.path(), "xyz" + bytes);  // numbers lie across every border
  const File file(scratch.path());
  Cursor in(file);
  EXPECT_EQ(in.number<uint8_t>(), 'x');
  EXPECT_EQ(in.number<uint16_t>(), 'y' | 'z' << 8);
  for (uint32_t i = 0; i < bytes.size() / 4; ++i) ASSERT_EQ(in.number<uint32_t>(), i);
  EXPECT_EQ(in.left(), 0U);
  EXPECT_EQ(in.position(), file.size());
}

TEST(Cursor, ReadsTextLongerThanItsBuffer) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += static_cast<char>('a' + i % 26);
  const ScratchFile scratch;
  malform::write_file(scratch.path(), malform::raw_text(text) + malform::raw_text(""));
  const File file(scratch.path());
  Cursor in(file);
  EXPECT_EQ(in.text(200000), text);
  EXPECT_EQ(in.text(0), "");
}

TEST(Cursor, NamesTheByteTheSubjectAndTheFileOfAFault) {
  const ScratchFile scratch;
  malform::write_file(scratch.path(), "1234567");
  const File file(scratch.path());
  Cursor in(file);
  in.set_subject("the number");
  in.number<uint32_t>();
  try {
    in.number<uint32_t>();
    FAIL() << "read beyond the end";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    EXPECT_EQ(e.what(), scratch.path().string() +
                            ": byte 4: the number needs 4 bytes here, but only 3 are left in the file");
  }
  EXPECT_EQ(in.position(), 4U);
}

TEST(Cursor, StopsAtTheLimitOfAHeader) {
  const ScratchFile scratch;
  malform::write_file(scratch.path(), malform::raw(kMaxHeaderBytes - 8), kMaxHeaderBytes + 100);
  const File file(scratch.path());
  Cursor in(file);
  in.need(kMaxHeaderBytes);
  EXPECT_THROW(in.need(kMaxHeaderBytes + 1), Error);
}

}  // namespace
}  // namespace kelda::gguf
