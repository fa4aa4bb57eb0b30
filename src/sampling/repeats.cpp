#include "sampling/repeats.h"

#include <algorithm>

namespace kelda::sampling {

void Repeats::assign(const History& text) {
  constexpr std::size_t kFewest = 4096;  // a text grows by a token per draw; memory is asked for now and then
  const std::size_t n = text.prompt.size() + text.generated.size();
  if (reversed_.capacity() < n || lengths_.capacity() < std::max(n, kFewest)) {
    reversed_.reserve(std::max(2 * n, kFewest));
    lengths_.reserve(std::max(2 * n, kFewest));
  }
  reversed_.assign(text.generated.rbegin(), text.generated.rend());
  reversed_.insert(reversed_.end(), text.prompt.rbegin(), text.prompt.rend());

  lengths_.assign(n, 0);
  std::size_t begin = 0, end = 0;  // of the match that reaches farthest
  for (std::size_t k = 1; k < n; ++k) {
    std::size_t length = k < end ? std::min(end - k, std::size_t{lengths_[k - begin]}) : 0;
    while (k + length < n && reversed_[length] == reversed_[k + length]) ++length;
    lengths_[k] = static_cast<uint32_t>(length);
    if (k + length > end) {
      begin = k;
      end = k + length;
    }
  }
}

}  // namespace kelda::sampling
