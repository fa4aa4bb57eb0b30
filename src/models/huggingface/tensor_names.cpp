#include "models/huggingface/tensor_names.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.h"
#include "base/quote.h"

namespace kelda::models {
namespace {

constexpr int64_t kMaxNumber = 1 << 20;

// The numbers in place of each {} of `pattern`; nothing if `name` is not of that form.
std::optional<std::vector<int64_t>> match(std::string_view pattern, std::string_view name) {
  std::vector<int64_t> numbers;
  while (!pattern.empty()) {
    if (!pattern.starts_with("{}")) {
      if (name.empty() || name[0] != pattern[0]) return std::nullopt;
      name.remove_prefix(1);
      pattern.remove_prefix(1);
      continue;
    }
    int64_t n = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), n);
    if (error != std::errc{} || n < 0 || n > kMaxNumber) return std::nullopt;
    const auto length = static_cast<std::size_t>(end - name.data());
    if (length > 1 && name[0] == '0') return std::nullopt;
    numbers.push_back(n);
    name.remove_prefix(length);
    pattern.remove_prefix(2);
  }
  return name.empty() ? std::optional(numbers) : std::nullopt;
}

struct OurName {
  std::string name;
  Translated how = Translated::kAsIs;
  int64_t expert = -1;
};

// "blk.3.ffn_down" + ".weight"
OurName filled_in(const NameRow& row, const std::vector<int64_t>& numbers, std::string_view suffix) {
  OurName our{.name = {}, .how = row.how, .expert = numbers.size() > 1 ? numbers[1] : -1};
  const std::size_t at = row.ours.find("{}");
  our.name = row.ours;
  if (at != std::string_view::npos) our.name.replace(at, 2, std::to_string(numbers[0]));
  our.name += suffix;
  return our;
}

OurName translate(const std::string& stored, const HuggingFace& family) {
  std::string_view name = stored;
  if (name.starts_with(family.optional_prefix)) name.remove_prefix(family.optional_prefix.size());
  std::string_view suffix;
  for (const std::string_view kind : {".weight", ".bias"})
    if (name.ends_with(kind)) suffix = kind;
  const std::string_view stem = name.substr(0, name.size() - suffix.size());
  for (const auto* rows : {&family.names, &kDecoderNames})
    for (const NameRow& row : *rows)
      if (const auto numbers = match(row.theirs, row.how == Translated::kDropped ? name : stem))
        return filled_in(row, *numbers, suffix);
  return {.name = stored};
}

}  // namespace

std::map<std::string, NamedSource> name_tensors(const std::vector<StoredTensor>& stored,
                                                const HuggingFace& family) {
  std::map<std::string, NamedSource> named;
  const auto twice = [](const StoredTensor& a, const StoredTensor& b) {
    fail(ErrorCode::kBadInput, "tensors {} and {} are the same part of the model", quote(a.name),
         quote(b.name));
  };
  for (const StoredTensor& tensor : stored) {
    const OurName our = translate(tensor.name, family);
    if (our.how == Translated::kDropped) continue;
    NamedSource& source = named[our.name];
    source.how = our.how;
    source.is_stack = our.expert >= 0;
    const auto at = static_cast<std::size_t>(std::max<int64_t>(our.expert, 0));
    if (source.parts.size() <= at) source.parts.resize(at + 1);
    if (source.parts[at] != nullptr) twice(*source.parts[at], tensor);
    source.parts[at] = &tensor;
  }
  for (const auto& [name, source] : named) {
    const auto gap = std::find(source.parts.begin(), source.parts.end(), nullptr);
    if (gap != source.parts.end()) {
      const auto other =
          std::find_if(source.parts.begin(), source.parts.end(), [](auto* t) { return t != nullptr; });
      fail(ErrorCode::kBadInput, "the tensor of expert {} is missing beside {}", gap - source.parts.begin(),
           quote((*other)->name));
    }
  }
  return named;
}

std::string stored_name(std::string_view ours, const HuggingFace& family) {
  const std::string_view suffix = ours.substr(std::min(ours.size(), ours.rfind('.')));
  const std::string_view stem = ours.substr(0, ours.size() - suffix.size());
  for (const auto* rows : {&family.names, &kDecoderNames}) {
    for (const NameRow& row : *rows) {
      const auto numbers = row.ours.empty() ? std::nullopt : match(row.ours, stem);
      if (!numbers) continue;
      std::string name(row.theirs);
      for (std::size_t n = 0, at = 0; (at = name.find("{}")) != std::string::npos; ++n)
        name.replace(at, 2, std::to_string(n < numbers->size() ? (*numbers)[n] : 0));
      return name += suffix;
    }
  }
  return std::string(ours);
}

}  // namespace kelda::models
