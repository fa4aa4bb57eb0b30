#include "apps/kelda/structure_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "apps/kelda/terminal/style.h"

namespace kelda::cli {
namespace {

std::string line(std::string_view left, std::string_view shape, uint64_t parameters, uint64_t bytes,
                 std::string_view note) {
  const std::string text = fmt::format("{:<36} {:<20} {:>16} {:>11}  {}", left, shape, grouped(parameters),
                                       short_bytes(bytes), note);
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

std::string formats_text(const models::StructureRow& r) {
  if (!r.tied_to.empty()) return "the same as " + r.tied_to;
  std::vector<std::string> names;
  for (const auto& [format, count] : r.formats)
    names.push_back(r.formats.size() == 1 ? std::string(format) : fmt::format("{} {}", count, format));
  return fmt::format("{}", fmt::join(names, ", "));
}

// What the shapes do not tell, a sentence each.
std::vector<std::string> attention_notes(const ModelConfig& c) {
  std::vector<std::string> notes = {fmt::format("{} of {} over {}", counted(c.n_heads, "query head"),
                                                c.head_dim, counted(c.n_kv_heads, "KV head"))};
  if (c.rope.n_rot > 0)
    notes.push_back(fmt::format("{} of {} dimensions rotate, base {}{}", c.rope.n_rot, c.head_dim,
                                c.rope.theta,
                                c.local_rope ? fmt::format("; {} in windows", c.rope_windowed.theta) : ""));
  std::map<int64_t, int64_t> layers;  // by window
  for (const int64_t window : c.windows)
    if (window > 0) ++layers[window];
  for (const auto& [window, n] : layers)
    notes.push_back(fmt::format("{} of {} see {} tokens back", n, counted(c.n_layers, "layer"), window));
  return notes;
}

std::vector<std::string> notes_of(const ModelConfig& c, std::string_view part) {
  if (part == "attention") return attention_notes(c);
  if (part == "feed-forward" && c.n_experts > 0)
    return {fmt::format("{} of {} for each token{}", c.n_experts_used, counted(c.n_experts, "expert"),
                        c.shared_intermediate_size > 0 ? ", and one that all take" : "")};
  return {};
}

std::string part_text(const ModelConfig& c, const models::StructurePart& p) {
  const std::string stem = p.in_block ? "  │  " : "  ";
  std::string text = line(fmt::format("{}├─ {}", stem, p.name), "", p.parameters(), p.bytes(), "");
  for (const std::string& note : notes_of(c, p.name)) text += fmt::format("{}│    ({})\n", stem, note);
  for (const models::StructureRow& r : p.rows) {
    const std::string shape = fmt::format("{}", fmt::join(r.shape, " × "));
    text += line(fmt::format("{}│    {}", stem, r.name), shape, r.parameters, r.bytes, formats_text(r));
  }
  return text;
}

}  // namespace

std::string structure_text(const ModelConfig& c, const std::vector<models::StructurePart>& parts) {
  uint64_t parameters = 0, bytes = 0, in_blocks = 0, block_bytes = 0;
  for (const models::StructurePart& p : parts) {
    parameters += p.parameters();
    bytes += p.bytes();
    in_blocks += p.in_block ? p.parameters() : 0;
    block_bytes += p.in_block ? p.bytes() : 0;
  }
  std::string text = "  ids\n";
  bool in_block = false;
  for (const models::StructurePart& p : parts) {
    if (p.in_block && !in_block)
      text += line(fmt::format("  ├─ {}", counted(c.n_layers, "block")), "", in_blocks, block_bytes,
                   "each part adds to the line");
    in_block = p.in_block;
    text += part_text(c, p);
  }
  return text + line("  ▼", "", parameters, bytes, "in all");
}

}  // namespace kelda::cli
