#include "files/gguf_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "files/gguf_reader.h"

namespace kelda::gguf {
namespace {

constexpr std::string_view kExtension = ".gguf";
constexpr std::string_view kOf = "-of-";
constexpr std::size_t kDigits = 5;
constexpr std::size_t kEndingBytes = 1 + kDigits + kOf.size() + kDigits;

std::optional<uint32_t> number(std::string_view digits) {
  uint32_t n = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    n = n * 10 + static_cast<uint32_t>(c - '0');
  }
  return n;
}

}  // namespace

std::optional<PartName> parse_part_name(std::string_view file_name) {
  if (!file_name.ends_with(kExtension)) return std::nullopt;
  file_name.remove_suffix(kExtension.size());
  if (file_name.size() < kEndingBytes) return std::nullopt;
  const std::string_view end = file_name.substr(file_name.size() - kEndingBytes);
  const auto no = number(end.substr(1, kDigits));
  const auto count = number(end.substr(1 + kDigits + kOf.size()));
  const bool formed = end[0] == '-' && end.substr(1 + kDigits, kOf.size()) == kOf && no && count;
  if (!formed || *no < 1 || *no > *count) return std::nullopt;
  file_name.remove_suffix(kEndingBytes);
  return PartName{std::string(file_name), *no - 1, *count};
}

bool is_later_part(std::string_view file_name) {
  const auto part = parse_part_name(file_name);
  return part && part->no > 0;
}

std::string part_name(std::string_view set, uint32_t no, uint32_t count) {
  return fmt::format("{}-{:05}{}{:05}{}", set, no + 1, kOf, count, kExtension);
}

uint64_t data_begin(const std::filesystem::path& path) {
  const Part part = read_part(path);
  uint64_t first = part.file.size();
  for (const TensorInfo& tensor : part.tensors) first = std::min(first, tensor.offset);
  return first;
}

}  // namespace kelda::gguf
