#include "apps/kelda/json_lines.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/quote.h"

namespace kelda::cli {

std::string json_string_line(const std::string& line, std::size_t number) {
  try {
    const auto json = nlohmann::json::parse(line);
    if (json.is_string()) return json.get<std::string>();
  } catch (const nlohmann::json::exception& e) {
    fail(ErrorCode::kBadInput, "line {}: {}", number, quote(e.what(), 400));
  }
  fail(ErrorCode::kBadInput, "line {}: one JSON string per line is wanted", number);
}

}  // namespace kelda::cli
