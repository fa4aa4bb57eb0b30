#include "apps/kelda/json_lines.h"

#include <nlohmann/json.hpp>

#include "apps/kelda/terminal/line_input.h"
#include "base/error.h"

namespace kelda::cli {
namespace {

constexpr std::size_t kBatchBytes = 4 << 20;  // of lines: so memory stays small

// The string that the line is.
std::string json_string_line(const std::string& line, std::size_t number) {
  try {
    const auto json = nlohmann::json::parse(line);
    if (json.is_string()) return json.get<std::string>();
  } catch (const nlohmann::json::parse_error& e) {
    fail_json_line(number, e.byte);
  }
  fail(ErrorCode::kBadInput, "line {}: one JSON string per line is wanted", number);
}

}  // namespace

void read_json_strings(std::size_t at_most, BeforeFault before_fault,
                       const std::function<void(const std::vector<std::string>&)>& take) {
  std::vector<std::string> batch;
  std::size_t n_bytes = 0;
  const auto flush = [&] {
    if (batch.empty()) return;
    take(batch);
    batch.clear();
    n_bytes = 0;
  };
  LineInput lines(flush);
  for (std::string line; lines.next(line);) {
    try {
      batch.push_back(json_string_line(line, lines.number()));
    } catch (const Error&) {
      if (before_fault == BeforeFault::kTake) flush();
      throw;
    }
    n_bytes += line.size();
    if (batch.size() >= at_most || n_bytes >= kBatchBytes) flush();
  }
  flush();
}

void fail_json_line(std::size_t number, std::size_t column) {
  fail(ErrorCode::kBadInput, "line {}: not JSON at column {}", number, column);
}

}  // namespace kelda::cli
