#include "apps/kelda/footprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "calc/memory.h"
#include "engine/model.h"
#include "models/family.h"

namespace kelda::cli {
namespace {

std::string mb(uint64_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6); }

std::string row(std::string_view noun, const std::string& amount, std::string_view what) {
  return fmt::format("  {:<10} {:>12}  {}\n", noun, amount, what);
}

void fit_here(Footprint& f) {
  f.available_bytes = calc::available_memory();
  f.largest_window = calc::largest_window(f.kv, f.n_ctx_train, calc::bytes_needed(f.kv, 0, f.learned_bytes),
                                          f.available_bytes);
}

std::string learned_words(const Footprint& f) {
  if (!f.config) return "weights, as large as their file";
  return fmt::format("weights packed for the kernels {} ({} in the file), vocabulary {}",
                     mb(f.learned_bytes - f.vocabulary_bytes), mb(f.file_bytes), mb(f.vocabulary_bytes));
}

std::string state_words(const Footprint& f) {
  if (f.kv.bytes_per_token() == 0) return "no KV cache: this model reads its whole text at once";
  return fmt::format("KV cache of one sequence at the full window of {} tokens, f16; {} bytes per token",
                     f.n_ctx_train, f.kv.bytes_per_token());
}

std::string here_words(const Footprint& f) {
  if (f.available_bytes == 0) return {};
  const std::string fits = f.largest_window > 0
                               ? fmt::format("the largest window that fits is {} tokens", f.largest_window)
                               : "not enough for its weights";
  return fmt::format("  {} of memory are available: {}\n", mb(f.available_bytes), fits);
}

}  // namespace

uint64_t Footprint::kv_bytes_full_window() const { return calc::kv_allocated_bytes(kv, n_ctx_train); }

Footprint footprint(const ModelFile& file) {
  ModelHead head = read_head(file);
  Footprint f;
  f.vocabulary_bytes = head.vocabulary->bytes();
  f.learned_bytes = packed_bytes(file, head.tensors, Compute::kAuto) + f.vocabulary_bytes;
  for (const TensorInfo& t : file.tensors()) f.file_bytes += t.bytes;
  if (head.config.causal) f.kv = models::kv_shape(head.config, KvType::kF16);
  f.n_ctx_train = head.config.n_ctx_train;
  f.structure = models::structure(head.tensors, file);
  f.config = std::move(head.config);
  fit_here(f);
  return f;
}

Footprint footprint(const hub::CatalogEntry& entry) {
  const hub::MemoryFigures& m = entry.memory;
  Footprint f;
  f.learned_bytes = entry.files.front().bytes;
  f.kv = {.type = KvType::kF16,
          .n_kv_heads = m.n_kv_heads,
          .head_dim = m.head_dim,
          .windows = std::vector<int64_t>(static_cast<std::size_t>(m.n_layers), 0)};
  f.n_ctx_train = m.n_ctx_train;
  fit_here(f);
  return f;
}

std::string memory_table(const Footprint& f) {
  std::string table = row("LEARNED", mb(f.learned_bytes), learned_words(f));
  if (f.config) {
    table += row("CONFIG", fmt::format("{} B", f.config->bytes()), "numbers that describe the network");
  }
  return table + row("STATE", mb(f.kv_bytes_full_window()), state_words(f)) + here_words(f);
}

}  // namespace kelda::cli
