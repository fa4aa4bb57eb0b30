// kelda inspect: what is in a model file, and what running it takes.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "apps/kelda/command.h"
#include "apps/kelda/session.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "calc/memory.h"
#include "config/knob.h"
#include "engine/model.h"
#include "files/model_file.h"
#include "hub/resolve.h"

namespace kelda::cli::inspect {
namespace {

struct Arguments {
  std::string model;
  bool json = false, tensors = false, all_values = false;
};

// What running the model takes, computed from the header alone.
struct Footprint {
  ModelConfig config;
  uint64_t learned = 0, learned_file = 0, vocabulary = 0;
  uint64_t kv_per_token = 0, kv_full_window = 0;
  uint64_t available = 0;
  int64_t window_that_fits = 0;
};

Footprint footprint(const ModelFile& file) {
  Footprint f;
  ModelHead head = read_head(file);
  f.config = std::move(head.config);
  f.vocabulary = head.vocabulary->bytes();
  f.learned = packed_bytes(file, head.tensors, Compute::kAuto) + f.vocabulary;
  for (const TensorInfo& t : file.tensors()) f.learned_file += t.bytes;
  const KvShape kv = models::kv_shape(f.config, KvType::kF16);
  f.kv_per_token = static_cast<uint64_t>(kv.bytes_per_token());
  f.kv_full_window = calc::kv_allocated_bytes(kv, f.config.n_ctx_train);
  f.available = calc::available_memory();
  f.window_that_fits = calc::largest_window(kv, f.config.n_ctx_train, f.learned + (100u << 20), f.available);
  return f;
}

constexpr std::size_t kWhole = ~std::size_t{0};

// A name that came with the file, in a column: escaped as quote() does it, without the quotes.
std::string bare(std::string_view name, std::size_t max_bytes) {
  const std::string quoted = quote(name, max_bytes);
  return quoted.substr(1, quoted.size() - 2);
}

// Text that is safe already, cut at a character.
std::string shortened(std::string_view text, std::size_t max_bytes) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t next = end + next_utf8(text.substr(end)).length;
    if (next > max_bytes) return std::string(text.substr(0, end)) + "…";
    end = next;
  }
  return std::string(text);
}

std::string shape_text(const TensorInfo& t) { return fmt::format("[{}]", fmt::join(t.shape, ", ")); }

void print_file(const ModelFile& file, const Arguments& a) {
  fmt::print("{}\n{}, {:.1f} MB, {} metadata keys, {} tensors\n\nMetadata\n", file.path().string(),
             file.container(), static_cast<double>(file.file_bytes()) / 1e6, file.metadata().items().size(),
             file.tensors().size());
  for (const auto& [key, value] : file.metadata().items()) {
    const std::size_t max_bytes = a.all_values ? kWhole : 120;
    const std::string shown = shortened(value.display(a.all_values ? kWhole : 6), max_bytes);
    fmt::print("  {:<44} {:<16} {}\n", bare(key, max_bytes), value.type_name(), shown);
  }
  std::map<std::string_view, std::pair<int64_t, uint64_t>> by_format;
  for (const TensorInfo& t : file.tensors()) {
    auto& [count, bytes] = by_format[t.format->name];
    ++count;
    bytes += t.bytes;
  }
  fmt::print("\nTensors\n");
  for (const auto& [format, sums] : by_format) {
    fmt::print("  {:<8} {:>5} tensors {:>12.1f} MB\n", format, sums.first,
               static_cast<double>(sums.second) / 1e6);
  }
  if (!a.tensors) {
    fmt::print("  (--tensors lists them)\n");
    return;
  }
  for (const TensorInfo& t : file.tensors()) {
    fmt::print("  {:<36} {:<8} {:<20} at byte {:>12}, {:>12} bytes\n", bare(t.name, kWhole), t.format->name,
               shape_text(t), t.offset, t.bytes);
  }
}

void print_footprint(const Footprint& f) {
  const ModelConfig& c = f.config;
  const auto mb = [](uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  fmt::print(
      "\nNetwork: {} ({})\n  {} layers, hidden {}, FFN {}, {} heads of {} over {} KV heads, vocabulary {}, "
      "window {}\n",
      quote(c.name), c.architecture, c.n_layers, c.hidden_size, c.intermediate_size, c.n_heads, c.head_dim,
      c.n_kv_heads, c.vocab_size, c.n_ctx_train);
  fmt::print(
      "\nMemory\n  {:<10} {:>12}  {}\n", "LEARNED", fmt::format("{:.1f} MB", mb(f.learned)),
      fmt::format("weights packed for the kernels {:.1f} MB ({:.1f} MB in the file), vocabulary {:.1f} MB",
                  mb(f.learned - f.vocabulary), mb(f.learned_file), mb(f.vocabulary)));
  fmt::print("  {:<10} {:>12}  numbers that describe the network\n", "CONFIG",
             fmt::format("{} B", c.bytes()));
  fmt::print("  {:<10} {:>12}  KV cache of one sequence at the full window of {}, f16; {} bytes per token\n",
             "STATE", fmt::format("{:.1f} MB", mb(f.kv_full_window)), c.n_ctx_train, f.kv_per_token);
  fmt::print("  {:.1f} MB of memory are available: the largest window that fits is {} tokens\n",
             mb(f.available), f.window_that_fits);
}

nlohmann::json to_json(const ModelFile& file, const Footprint& f, const Arguments& a) {
  nlohmann::json out = {
      {"path", file.path().string()}, {"container", file.container()}, {"bytes", file.file_bytes()}};
  for (const auto& [key, value] : file.metadata().items()) {
    out["metadata"][key] = value.display(a.all_values ? kWhole : 6);
  }
  for (const TensorInfo& t : file.tensors()) {
    out["tensors"].push_back({{"name", t.name},
                              {"format", t.format->name},
                              {"shape", t.shape},
                              {"offset", t.offset},
                              {"bytes", t.bytes}});
  }
  const ModelConfig& c = f.config;
  out["config"] = {{"architecture", c.architecture}, {"n_layers", c.n_layers},
                   {"hidden_size", c.hidden_size},   {"intermediate_size", c.intermediate_size},
                   {"n_heads", c.n_heads},           {"n_kv_heads", c.n_kv_heads},
                   {"head_dim", c.head_dim},         {"vocab_size", c.vocab_size},
                   {"n_ctx_train", c.n_ctx_train}};
  out["memory"] = {{"learned_bytes", f.learned},           {"config_bytes", c.bytes()},
                   {"kv_bytes_per_token", f.kv_per_token}, {"kv_bytes_full_window", f.kv_full_window},
                   {"available_bytes", f.available},       {"largest_window", f.window_that_fits}};
  return out;
}

int run(const Arguments& a) {
  const auto file = open_gguf(hub::resolve(a.model).path);
  if (a.json) {
    fmt::print(
        "{}\n",
        to_json(*file, footprint(*file), a).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return 0;
  }
  print_file(*file, a);  // before the model is understood: a file that cannot run can still be looked at
  std::fflush(stdout);
  print_footprint(footprint(*file));
  return 0;
}

}  // namespace

const Command& command() {
  static const Command c{"inspect", "Show a model file's metadata, tensors and memory needs",
                         [](CLI::App& app) -> std::function<int()> {
                           auto a = std::make_shared<Arguments>();
                           add_model_name(app, a->model);
                           app.add_flag("--json", a->json, "Print JSON");
                           app.add_flag("--tensors", a->tensors, "List every tensor");
                           app.add_flag("--all-values", a->all_values, "Show long lists and texts whole");
                           return [a] { return run(*a); };
                         }};
  return c;
}

}  // namespace kelda::cli::inspect
