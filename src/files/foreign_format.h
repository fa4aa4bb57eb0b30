// What a file is that another format was expected of: for the message.
#pragma once

#include <string_view>

namespace kelda {

// The kind of file that starts with these four bytes, as in "it starts as …"; empty if none is known.
std::string_view foreign_format(std::string_view magic);

}  // namespace kelda
