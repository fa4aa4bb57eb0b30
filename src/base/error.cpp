#include "base/error.h"

#include "base/check.h"

namespace kelda {

const ErrorTraits& traits(ErrorCode code) {
  static const ErrorTraits rows[] = {
      {"usage", 2, 400, "invalid_request_error"},
      {"bad_input", 2, 400, "invalid_request_error"},
      {"not_found", 2, 404, "not_found_error"},
      {"unsupported", 2, 400, "invalid_request_error"},
      {"context_length_exceeded", 2, 400, "invalid_request_error"},
      {"out_of_memory", 1, 503, "server_error"},
      {"io", 1, 500, "server_error"},
      {"interrupted", 130, 499, "server_error"},
      {"internal", 1, 500, "server_error"},
  };
  const auto index = static_cast<std::size_t>(code);
  KELDA_CHECK(index < std::size(rows));
  return rows[index];
}

}  // namespace kelda
