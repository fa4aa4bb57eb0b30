#include "files/safetensors_json.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "files/scratch_file.h"
#include "malform/gguf_builder.h"

namespace kelda::safetensors {
namespace {

// Writes every event down: "0{ 1:key=4\"text 10#7 }".
class Log final : public JsonEvents {
 public:
  void open_object(uint64_t at) override { put(at, "{"); }
  void close_object(uint64_t at) override { put(at, "}"); }
  void open_array(uint64_t at) override { put(at, "["); }
  void close_array(uint64_t at) override { put(at, "]"); }
  void key(uint64_t at, std::string name) override { put(at, "k:" + name); }
  void text(uint64_t at, std::string value) override { put(at, "t:" + value); }
  void count(uint64_t at, uint64_t value) override { put(at, "n:" + std::to_string(value)); }
  void other(uint64_t at, std::string_view value) override { put(at, "o:" + std::string(value)); }
  const std::string& all() const { return all_; }

 private:
  void put(uint64_t at, const std::string& what) {
    all_ += fmt::format("{}{}{}", all_.empty() ? "" : " ", at, what);
  }
  std::string all_;
};

// What the text is parsed to, or the message that refuses it after the path.
std::string parsed(std::string_view text) {
  const ScratchFile scratch;
  malform::write_file(scratch.path(), text);
  const File file(scratch.path());
  Log log;
  try {
    parse_json(file, 0, file.size(), "the text", log);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    const std::string message = e.what(), path = scratch.path().string() + ": ";
    EXPECT_EQ(message.find(path), 0U) << message;
    return message.substr(path.size());
  }
  return log.all();
}

TEST(SafetensorsJson, ReportsEveryValueWithTheByteWhereItBegins) {
  EXPECT_EQ(parsed(R"({"a":[1, 22,"x"],"b" : {} })"), "0{ 1k:a 5[ 6n:1 9n:22 12t:x 15] 17k:b 23{ 24} 26}");
  EXPECT_EQ(parsed("[null,true, false ,-1,-0,1.5,1e2,18446744073709551615,18446744073709551616]"),
            "0[ 1o:null 6o:true 12o:false 19o:a negative number 22o:a negative number 25o:the number 1.5 "
            "29o:the number 1e2 33n:18446744073709551615 54o:the number 18446744073709551616 74]");
}

TEST(SafetensorsJson, ReadsEscapesAndReportsKeysThatComeTwice) {
  EXPECT_EQ(parsed("{\"\\u00e4\\\"\\\\\":0,\"k\":1,\"k\":2}"),
            "0{ 1k:\xC3\xA4\"\\ 14n:0 16k:k 20n:1 22k:k 26n:2 27}");
}

TEST(SafetensorsJson, TakesBlanksAnywhereButInNumbersAndWords) {
  EXPECT_EQ(parsed(" \n\t\r [ \n 1 \r\n , 2 ]  \n"), "5[ 9n:1 16n:2 18]");
  EXPECT_EQ(parsed("7"), "0n:7");
  EXPECT_EQ(parsed("[1 2]"), "byte 4: the text is not valid JSON at the end of \"2\"");
}

TEST(SafetensorsJson, IsTheSameWhereverTheBufferEnds) {
  const std::string row = R"({"name":[1,23,456],"text":"a\"b"},)";
  for (std::size_t blanks = 16 * 1024 - row.size() - 2; blanks < 16 * 1024 + 2; ++blanks) {
    const std::string start = std::string("[").append(blanks, ' ');
    const auto at = [&](std::size_t offset) { return std::to_string(start.size() + offset); };
    EXPECT_EQ(parsed(start + row + "0]"), std::string("0[ ") + at(0) + "{ " + at(1) + "k:name " + at(8) +
                                              "[ " + at(9) + "n:1 " + at(11) + "n:23 " + at(14) + "n:456 " +
                                              at(17) + "] " + at(19) + "k:text " + at(26) + "t:a\"b " +
                                              at(32) + "} " + at(34) + "n:0 " + at(35) + "]");
  }
}

TEST(SafetensorsJson, NamesThePlaceOfWhatIsNotJson) {
  EXPECT_EQ(parsed(""), "byte 0: the text is not valid JSON: it ends too early");
  EXPECT_EQ(parsed("[1,"), "byte 3: the text is not valid JSON: it ends too early");
  EXPECT_EQ(parsed("{\"a\":\"bc"), "byte 5: the text ends inside a string");
  EXPECT_EQ(parsed("[1,]"), "byte 3: the text is not valid JSON at the end of \"1,]\"");
  EXPECT_EQ(parsed("[1.x]"), "byte 3: the text is not valid JSON at the end of \"1.x\"");
  EXPECT_EQ(parsed("[nul]"), "byte 4: the text is not valid JSON at the end of \"[nul]\"");
  EXPECT_EQ(parsed("[\"\\q\"]"), "byte 3: the text is not valid JSON at the end of \"\\\"\\\\q\"");
  EXPECT_EQ(parsed("[\"\xC3(\"]"), "byte 3: the text is not valid JSON at the end of \"\\\"\\xC3(\"");
  EXPECT_EQ(parsed("[1e999]"), "byte 1: the text has a number beyond the range of a 64-bit float");
  EXPECT_EQ(parsed("[] []"), "byte 3: the text is not valid JSON at the end of \"[] [\"");
  EXPECT_EQ(parsed("\xEF\xBB\xBF[]"), "byte 0: the text has the byte 0xEF outside a string");
  EXPECT_EQ(parsed(std::string("[]\0", 3)), "byte 2: the text has the byte 0x00 outside a string");
  EXPECT_EQ(parsed(std::string("[\"\0\"]", 5)), "byte 2: the text has a control character in a string");
}

TEST(SafetensorsJson, TakesStringsAndNumbersUpToTheirLimits) {
  const std::string longest(kMaxTextBytes - 2, 'x');
  EXPECT_EQ(parsed("\"" + longest + "\""), "0t:" + longest);
  EXPECT_EQ(parsed("[\"x" + longest + "\"]"), "byte 1: the text has a string of more than 4194304 bytes");
  EXPECT_EQ(parsed("[0." + std::string(kMaxWordBytes - 2, '1') + "]"),
            "0[ 1o:the number 0." + std::string(kMaxWordBytes - 2, '1') + " 65]");
  EXPECT_EQ(parsed("[0." + std::string(kMaxWordBytes - 1, '1') + "]"),
            "byte 1: the text has a number or word of more than 64 bytes");
}

TEST(SafetensorsJson, StopsAtTheEndThatItIsGiven) {
  const ScratchFile scratch;
  malform::write_file(scratch.path(), "xx[1]yy");
  Log log;
  parse_json(File(scratch.path()), 2, 5, "the text", log);
  EXPECT_EQ(log.all(), "2[ 3n:1 4]");
}

}  // namespace
}  // namespace kelda::safetensors
