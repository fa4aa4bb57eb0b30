// Numbers from text, whatever the locale.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace kelda {

// All of `text` as a T, or nothing: no blanks, no leading '+', no prefix, nothing after the number, and none
// that T cannot hold. A floating-point T also takes "inf" and "nan".
template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace kelda
