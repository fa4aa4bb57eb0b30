#include "apps/kelda/json_lines.h"

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace kelda::cli {

std::string json_string_line(const std::string& line, std::size_t number) {
  try {
    const auto json = nlohmann::json::parse(line);
    if (json.is_string()) return json.get<std::string>();
  } catch (const nlohmann::json::parse_error& e) {
    fail_json_line(number, e.byte);
  }
  fail(ErrorCode::kBadInput, "line {}: one JSON string per line is wanted", number);
}

void fail_json_line(std::size_t number, std::size_t column) {
  fail(ErrorCode::kBadInput, "line {}: not JSON at column {}", number, column);
}

}  // namespace kelda::cli
