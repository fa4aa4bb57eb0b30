// What comes in on stdin, line by line, for a program that is answered as it asks.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace kelda::cli {

class LineInput {
 public:
  // before_waiting: called where the next line is not there yet, so that whoever waits for answers to the
  // lines before gets them.
  explicit LineInput(std::function<void()> before_waiting = [] {})
      : before_waiting_(std::move(before_waiting)) {}

  // The next line without its newline; false at the end. The last line may lack its newline. Throws kIo,
  // and kBadInput for a line of more than 1 GiB.
  bool next(std::string& line);
  std::size_t number() const { return number_; }  // of the latest line, from 1

 private:
  bool fill();

  std::function<void()> before_waiting_;
  std::string buffer_;
  std::size_t at_ = 0, number_ = 0;
};

}  // namespace kelda::cli
