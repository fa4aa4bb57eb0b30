#include "jinja/search.h"

#include <cstring>
#include <string>

namespace kelda::jinja {

std::size_t find_text(std::string_view all, std::string_view wanted, std::size_t from) {
  if (from > all.size()) return std::string_view::npos;
  if (wanted.empty()) return from;
  // memmem is the two-way algorithm: linear, without memory of its own.
  const void* found = ::memmem(all.data() + from, all.size() - from, wanted.data(), wanted.size());
  if (!found) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - all.data());
}

std::size_t rfind_text(std::string_view all, std::string_view wanted) {
  if (wanted.size() > all.size()) return std::string_view::npos;
  const std::string backwards(all.rbegin(), all.rend()), reversed(wanted.rbegin(), wanted.rend());
  const std::size_t at = find_text(backwards, reversed);
  return at == std::string_view::npos ? at : all.size() - at - wanted.size();
}

}  // namespace kelda::jinja
