#include "models/structure.h"

#include <algorithm>

namespace kelda::models {
namespace {

constexpr std::string_view kBlockPrefix = "blk.";

bool is_in_block(std::string_view name) { return name.starts_with(kBlockPrefix); }

// "blk.12.attn_q.weight" → "attn_q.weight"
std::string_view without_block(std::string_view name) {
  return is_in_block(name) ? name.substr(name.find('.', kBlockPrefix.size()) + 1) : name;
}

// The part that a tensor belongs to, by the conventions of GGUF's names.
std::string_view part_of(std::string_view name) {
  const std::string_view own = without_block(name);
  const auto begins = [own](std::initializer_list<std::string_view> with) {
    return std::any_of(with.begin(), with.end(), [own](std::string_view w) { return own.starts_with(w); });
  };
  if (is_in_block(name))
    return begins({"attn", "post_attention"}) ? "attention"
           : begins({"ffn", "post_ffw"})      ? "feed-forward"
                                              : "block";
  return begins({"output"}) ? "head" : begins({"rope"}) ? "rotation" : "embedding";
}

StructurePart& part_for(std::vector<StructurePart>& parts, const TensorSpec& spec) {
  const std::string_view name = part_of(spec.name);
  const auto at = std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.name == name; });
  if (at != parts.end()) return *at;
  parts.push_back({name, is_in_block(spec.name), {}});
  return parts.back();
}

StructureRow& row_for(StructurePart& part, const TensorSpec& spec) {
  const std::string_view name = without_block(spec.name);
  const auto at = std::find_if(part.rows.begin(), part.rows.end(),
                               [&](const auto& r) { return r.name == name && r.shape == spec.shape; });
  if (at != part.rows.end()) return *at;
  StructureRow row;
  row.name = name;
  row.shape = spec.shape;
  part.rows.push_back(std::move(row));
  return part.rows.back();
}

}  // namespace

uint64_t StructurePart::parameters() const {
  uint64_t sum = 0;
  for (const StructureRow& r : rows) sum += r.parameters;
  return sum;
}

uint64_t StructurePart::bytes() const {
  uint64_t sum = 0;
  for (const StructureRow& r : rows) sum += r.bytes;
  return sum;
}

std::vector<StructurePart> structure(const TensorList& tensors, const ModelFile& file) {
  std::vector<StructurePart> parts;
  for (const TensorSpec& spec : tensors.specs()) {
    const TensorInfo* stored = file.find(spec.name);
    if (stored == nullptr && spec.tied_to.empty()) continue;  // optional and absent
    StructureRow& row = row_for(part_for(parts, spec), spec);
    ++row.count;
    if (stored == nullptr) {
      row.tied_to = spec.tied_to;
      continue;
    }
    row.parameters += static_cast<uint64_t>(stored->n_elements());
    row.bytes += stored->bytes;
    ++row.formats[stored->format->name];
  }
  return parts;
}

}  // namespace kelda::models
