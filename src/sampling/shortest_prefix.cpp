#include "sampling/shortest_prefix.h"

#include "base/check.h"

namespace kelda::sampling {

ShortestPrefix::Inside ShortestPrefix::last_of(double sum, double mass) {
  KELDA_CHECK(!inside_.empty());
  std::sort(inside_.begin(), inside_.end(), before);
  std::size_t last = 0;
  for (sum += inside_[0].weight; sum < mass && last + 1 < inside_.size();) sum += inside_[++last].weight;
  return inside_[last];
}

}  // namespace kelda::sampling
