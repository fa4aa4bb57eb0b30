// What pages have in common.
#pragma once

#include <string>
#include <string_view>

namespace kelda::cli {

// Text between tags or in an attribute in quotes, control characters escaped. Nothing from outside comes into
// a page but through this.
std::string html(std::string_view text);

}  // namespace kelda::cli
