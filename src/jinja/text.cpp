#include "jinja/text.h"

#include <algorithm>

#include "base/check.h"

namespace kelda::jinja {

Text::Text(std::string bytes, Provenance provenance) : bytes_(std::move(bytes)) {
  if (provenance == Provenance::kOwned) own(0, bytes_.size());
}

void Text::own(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  if (!owned_.empty() && owned_.back().end == begin) {
    owned_.back().end = end;
  } else {
    owned_.push_back({begin, end});
  }
}

Provenance Text::provenance(std::size_t begin, std::size_t end) const {
  if (begin >= end) return Provenance::kOwned;
  const auto after = std::upper_bound(owned_.begin(), owned_.end(), begin,
                                      [](std::size_t at, const ByteSpan& span) { return at < span.begin; });
  if (after == owned_.begin()) return Provenance::kInput;
  return std::prev(after)->end >= end ? Provenance::kOwned : Provenance::kInput;
}

void Text::append(std::string_view bytes, Provenance provenance) {
  const std::size_t begin = bytes_.size();
  bytes_.append(bytes);
  if (provenance == Provenance::kOwned) own(begin, bytes_.size());
}

void Text::append(const Text& other) { append(other, 0, other.size()); }

void Text::append(const Text& other, std::size_t begin, std::size_t end) {
  const std::size_t base = bytes_.size();
  bytes_.append(other.bytes_, begin, end - begin);
  auto span = std::partition_point(other.owned_.begin(), other.owned_.end(),
                                   [begin](const ByteSpan& s) { return s.end <= begin; });
  for (; span != other.owned_.end() && span->begin < end; ++span) {
    own(base + std::max(span->begin, begin) - begin, base + std::min(span->end, end) - begin);
  }
}

Text Text::with_bytes(std::string bytes) const {
  KELDA_CHECK(bytes.size() == size());
  Text other;
  other.bytes_ = std::move(bytes);
  other.owned_ = owned_;
  return other;
}

Text Text::slice(std::size_t begin, std::size_t end) const {
  Text part;
  part.append(*this, begin, end);
  return part;
}

}  // namespace kelda::jinja
