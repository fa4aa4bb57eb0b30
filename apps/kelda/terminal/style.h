// What the terminal can show: colour only where a person sees it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kelda::cli {

enum class Stream { kIn, kOut, kErr };

bool is_terminal(Stream stream);

// A terminal, and neither NO_COLOR (https://no-color.org) nor TERM=dumb is set, nor TERM empty.
bool has_color(Stream stream);

// A terminal that understands how to move the cursor: TERM names one.
bool has_cursor(Stream stream);

enum class Color { kBold, kDim, kRed, kGreen, kYellow };
// `text` in that colour if the stream has colour, else as it is.
std::string paint(Stream stream, Color color, std::string_view text);

// "1 token", "2 tokens": of words whose plural has an s.
std::string counted(int64_t n, std::string_view noun);
// "1,234,567"
std::string grouped(uint64_t n);
// "98.4 MB (93.8 MiB)": decimal and binary, each labelled as what it is. Below 1,000: "999 bytes".
std::string human_bytes(uint64_t bytes);
// "98.4 MB"
std::string short_bytes(uint64_t bytes);
// "1:05", "2:03:09"
std::string human_seconds(double seconds);

}  // namespace kelda::cli
