// The grammar is nlohmann's; what it lets through or lets grow is held back before it, byte by byte: it ends
// at a NUL, skips a byte order mark, and keeps every blank and every unfinished string in memory.
#include "files/safetensors_json.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/quote.h"

namespace kelda::safetensors {
namespace {

using nlohmann::json;

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_structural(char c) { return c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':'; }

// The bytes of the text through a bounded buffer, one blank for a run of blanks. Knows just enough of JSON to
// say where the last string, number or bracket began.
class Source {
 public:
  Source(const File& file, uint64_t begin, uint64_t end, std::string_view what)
      : file_(file), what_(what), end_(end), position_(begin), last_at_(begin), buffer_begin_(begin) {}

  // Whether there is no further byte; from then on the parser has seen the end.
  bool at_end() {
    if (position_ < end_) return false;
    if (in_text_) fail_at(text_at_, "ends inside a string");
    seen_end_ = true;
    return true;
  }
  bool seen_end() const { return seen_end_; }
  char peek() const {
    return static_cast<char>(buffer_[static_cast<std::size_t>(position_ - buffer_begin_)]);
  }
  void fill() {
    if (position_ == end_ || position_ - buffer_begin_ < buffer_.size()) return;
    buffer_begin_ = position_;
    buffer_.resize(static_cast<std::size_t>(std::min<uint64_t>(kBufferBytes, end_ - position_)));
    file_.read(position_, buffer_);
  }
  void advance() {
    const char c = peek();
    last_at_ = position_++;
    fill();
    if (in_text_) {
      in_string(c);
      return;
    }
    outside(c);
    if (!is_blank(c)) return;
    while (position_ < end_ && is_blank(peek())) {
      ++position_;
      fill();
    }
  }

  uint64_t last_at() const { return last_at_; }  // the last byte handed out
  uint64_t text_at() const { return text_at_; }
  uint64_t word_at() const { return word_at_; }
  uint64_t position() const { return position_; }

  [[noreturn]] void fail_at(uint64_t at, std::string_view message) const {
    refuse(file_, at, fmt::format("{} {}", what_, message));
  }

 private:
  static constexpr std::size_t kBufferBytes = 16 * 1024;

  void in_string(char c) {
    if (static_cast<unsigned char>(c) < 0x20) fail_at(last_at_, "has a control character in a string");
    if (position_ - text_at_ > kMaxTextBytes) {
      fail_at(text_at_, fmt::format("has a string of more than {} bytes", kMaxTextBytes));
    }
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_text_ = false;
    }
  }
  void outside(char c) {
    if (static_cast<unsigned char>(c) - 0x20u >= 0x60 && !is_blank(c)) {
      fail_at(last_at_, fmt::format("has the byte 0x{:02X} outside a string", static_cast<unsigned char>(c)));
    }
    const bool in_word = std::exchange(in_word_, false);
    if (c == '"') {
      in_text_ = true;
      text_at_ = last_at_;
    } else if (!is_blank(c) && !is_structural(c)) {
      in_word_ = true;
      if (!in_word) word_at_ = last_at_;
      if (position_ - word_at_ > kMaxWordBytes) {
        fail_at(word_at_, fmt::format("has a number or word of more than {} bytes", kMaxWordBytes));
      }
    }
  }

  const File& file_;
  std::string_view what_;
  uint64_t end_, position_, last_at_;
  uint64_t text_at_ = 0, word_at_ = 0;
  bool in_text_ = false, escaped_ = false, in_word_ = false, seen_end_ = false;
  uint64_t buffer_begin_;
  std::vector<std::byte> buffer_;
};

// What nlohmann's parser reads; a null source is the end.
struct Bytes {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  Source* source = nullptr;
  char operator*() const { return source->peek(); }
  Bytes& operator++() {
    source->advance();
    return *this;
  }
  Bytes operator++(int) {
    const Bytes before = *this;
    source->advance();
    return before;
  }
  bool operator==(const Bytes& end) const { return end.source == nullptr && source->at_end(); }
};

class Adapter final : public nlohmann::json_sax<json> {
 public:
  Adapter(const Source& source, JsonEvents& events) : source_(source), events_(events) {}

  bool null() override { return word("null"); }
  bool boolean(bool value) override { return word(value ? "true" : "false"); }
  bool number_integer(json::number_integer_t) override { return word("a negative number"); }
  bool number_unsigned(json::number_unsigned_t value) override {
    events_.count(source_.word_at(), value);
    return true;
  }
  bool number_float(json::number_float_t, const json::string_t& literal) override {
    return word("the number " + literal);
  }
  bool string(json::string_t& value) override {
    events_.text(source_.text_at(), std::move(value));
    return true;
  }
  bool key(json::string_t& name) override {
    events_.key(source_.text_at(), std::move(name));
    return true;
  }
  bool start_object(std::size_t) override {
    events_.open_object(source_.last_at());
    return true;
  }
  bool end_object() override {
    events_.close_object(source_.last_at());
    return true;
  }
  bool start_array(std::size_t) override {
    events_.open_array(source_.last_at());
    return true;
  }
  bool end_array() override {
    events_.close_array(source_.last_at());
    return true;
  }
  bool binary(json::binary_t&) override { return false; }  // text has none
  bool parse_error(std::size_t, const std::string& last_read, const json::exception& e) override {
    if (dynamic_cast<const json::out_of_range*>(&e) != nullptr) {
      source_.fail_at(source_.word_at(), "has a number beyond the range of a 64-bit float");
    }
    if (source_.seen_end()) source_.fail_at(source_.position(), "is not valid JSON: it ends too early");
    const std::size_t shown = last_read.size() > kShownBytes ? last_read.size() - kShownBytes : 0;
    source_.fail_at(source_.last_at(), "is not valid JSON at the end of " + quote(last_read.substr(shown)));
  }

 private:
  static constexpr std::size_t kShownBytes = 24;

  bool word(std::string_view value) {
    events_.other(source_.word_at(), value);
    return true;
  }

  const Source& source_;
  JsonEvents& events_;
};

}  // namespace

void parse_json(const File& file, uint64_t begin, uint64_t end, std::string_view what, JsonEvents& events) {
  Source source(file, begin, end, what);
  source.fill();
  Adapter adapter(source, events);
  if (!json::sax_parse(Bytes{&source}, Bytes{}, &adapter)) {
    source.fail_at(source.last_at(), "is not valid JSON");
  }
}

void refuse(const File& file, uint64_t at, std::string_view message) {
  fail(ErrorCode::kBadInput, "{}: byte {}: {}", file.path().string(), at, message);
}

}  // namespace kelda::safetensors
