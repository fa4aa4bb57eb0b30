// kelda inspect: what is in a model file, and what running it takes.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "apps/kelda/command.h"
#include "apps/kelda/footprint.h"
#include "apps/kelda/metadata_json.h"
#include "apps/kelda/session.h"
#include "apps/kelda/structure_text.h"
#include "base/error.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "engine/model_text.h"
#include "files/model_file.h"
#include "hub/resolve.h"
#include "models/family.h"

namespace kelda::cli::inspect {
namespace {

struct Arguments {
  std::string model;
  bool json = false, tensors = false, all_values = false;
};

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

bool is_encoder(const ModelConfig& c) {
  return models::find_family(c.architecture)->role() == models::Role::kEncoder;
}

void print_network(const Footprint& f) {
  const ModelConfig& c = *f.config;
  const std::string encoder = is_encoder(c) ? fmt::format("\n  an encoder, pooling {}: `kelda embed` runs it",
                                                          pooling_name(c.pooling))
                                            : "";
  fmt::print(
      "\nNetwork: {} ({})\n  {} layers, hidden {}, FFN {}, {} heads of {} over {} KV heads, vocabulary {}, "
      "window {}{}\n\nStructure\n{}\nMemory\n{}",
      quote(c.name), c.architecture, c.n_layers, c.hidden_size, c.intermediate_size, c.n_heads, c.head_dim,
      c.n_kv_heads, c.vocab_size, c.n_ctx_train, encoder, structure_text(c, f.structure), memory_table(f));
}

// What the file says, whether or not this build can run it.
nlohmann::json file_json(const ModelFile& file, const Arguments& a) {
  nlohmann::json out = {{"path", file.path().string()},
                        {"container", file.container()},
                        {"bytes", file.file_bytes()},
                        {"metadata", nlohmann::json::object()},
                        {"tensors", nlohmann::json::array()}};
  for (const auto& [key, value] : file.metadata().items()) {
    out["metadata"][key] = metadata_json(value, a.all_values ? kWhole : 6);
  }
  for (const TensorInfo& t : file.tensors()) {
    out["tensors"].push_back({{"name", t.name},
                              {"format", t.format->name},
                              {"shape", t.shape},
                              {"offset", t.offset},
                              {"bytes", t.bytes}});
  }
  return out;
}

void add_network(const Footprint& f, nlohmann::json& out) {
  const ModelConfig& c = *f.config;
  out["config"] = {{"architecture", c.architecture}, {"n_layers", c.n_layers},
                   {"hidden_size", c.hidden_size},   {"intermediate_size", c.intermediate_size},
                   {"n_heads", c.n_heads},           {"n_kv_heads", c.n_kv_heads},
                   {"head_dim", c.head_dim},         {"vocab_size", c.vocab_size},
                   {"n_ctx_train", c.n_ctx_train},   {"role", is_encoder(c) ? "encoder" : "decoder"}};
  if (is_encoder(c)) out["config"]["pooling"] = pooling_name(c.pooling);
  out["structure"] = nlohmann::json::array();
  for (const models::StructurePart& p : f.structure) {
    nlohmann::json rows = nlohmann::json::array();
    for (const models::StructureRow& r : p.rows)
      rows.push_back({{"name", r.name},
                      {"shape", r.shape},
                      {"count", r.count},
                      {"parameters", r.parameters},
                      {"bytes", r.bytes},
                      {"tied_to", r.tied_to.empty() ? nlohmann::json() : nlohmann::json(r.tied_to)}});
    out["structure"].push_back({{"part", p.name},
                                {"in_block", p.in_block},
                                {"parameters", p.parameters()},
                                {"bytes", p.bytes()},
                                {"tensors", rows}});
  }
  out["memory"] = {{"learned_bytes", f.learned_bytes},
                   {"config_bytes", c.bytes()},
                   {"kv_bytes_per_token", f.kv.bytes_per_token()},
                   {"kv_bytes_full_window", f.kv_bytes_full_window()},
                   {"available_bytes", f.available_bytes},
                   {"largest_window", f.largest_window}};
}

void print_json(const nlohmann::json& out) {
  // ASCII: texts of the file may hold control characters that JSON itself would leave as they are.
  fmt::print("{}\n", out.dump(2, ' ', true, nlohmann::json::error_handler_t::replace));
}

// A file that cannot run can still be looked at: what is in it comes out before the error that says why.
int run(const Arguments& a) {
  const auto file = open_model(hub::resolve(a.model).path);
  nlohmann::json out;
  if (a.json) {
    out = file_json(*file, a);
  } else {
    print_file(*file, a);
    std::fflush(stdout);
  }
  try {
    const Footprint f = footprint(*file);
    a.json ? add_network(f, out) : print_network(f);
  } catch (const Error&) {
    if (a.json) print_json(out);
    throw;
  }
  if (a.json) print_json(out);
  return 0;
}

}  // namespace

const Command& command() {
  static const Command c{
      "inspect", "Show a model file's metadata, tensors and memory needs",
      [](CLI::App& app) -> std::function<int()> {
        auto a = std::make_shared<Arguments>();
        add_model_name(app, a->model);
        app.add_flag("--json", a->json, "Print JSON");
        app.add_flag("--tensors", a->tensors, "List every tensor");
        app.add_flag("--all-values", a->all_values, "Show long lists and texts whole");
        app.footer(
            "In JSON, metadata has the types of the file. A list of more than 6 is\n"
            "{\"type\", \"length\", \"first\": [...]} without --all-values; a float that is "
            "not finite\nis \"NaN\", \"Infinity\" or \"-Infinity\"; of a text that is not UTF-8, "
            "the faulty bytes are U+FFFD.");
        return [a] { return run(*a); };
      }};
  return c;
}

}  // namespace kelda::cli::inspect
