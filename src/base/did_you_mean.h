// The guess after a slip of the fingers.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kelda {

// The nearest of `names` to `word` by edit distance, or empty if none is near enough to be a likely slip.
// Case, leading dashes and '-' for '_' do not count.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

}  // namespace kelda
