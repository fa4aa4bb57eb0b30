// kelda models: what the catalogue has and what of it is on this machine.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/kelda/catalog_knobs.h"
#include "apps/kelda/command.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/terminal/style.h"
#include "hub/cache.h"
#include "hub/catalog.h"
#include "hub/other_caches.h"
#include "hub/resolve.h"
#include "models/family.h"

namespace kelda::cli::models {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string path_of;
  bool json = false;
};

// Whether this build knows the architecture. Its file may still hold a weight format or need a tokenizer that
// it does not know, which only the file itself tells.
bool is_runnable(const hub::CatalogEntry& entry) {
  return kelda::models::find_family(entry.architecture) != nullptr;
}

Json to_json(const hub::CatalogEntry& entry) {
  Json files = Json::array();
  for (const hub::CatalogFile& file : entry.files) {
    files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  }
  Json knobs = Json::object();
  for (const auto& [name, value] : entry.knobs) knobs[name] = value;
  const bool there = hub::is_complete(entry);
  return {{"name", entry.name},
          {"title", entry.title},
          {"architecture", entry.architecture},
          {"runnable", is_runnable(entry)},
          {"bytes", entry.bytes()},
          {"licence",
           {{"name", entry.licence.name},
            {"spdx", entry.licence.spdx.empty() ? Json() : Json(entry.licence.spdx)},
            {"url", entry.licence.url},
            {"consent_required", entry.licence.consent_required}}},
          {"default", entry.name == hub::catalog().default_name},
          {"downloaded", there},
          {"path", there ? Json(hub::path_of(entry).string()) : Json()},
          {"files", files},
          {"knobs", knobs},
          {"knobs_source", entry.knobs_source}};
}

void print_json() {
  Json all = Json::object();
  all["models"] = Json::array();
  for (const hub::CatalogEntry& entry : hub::catalog().entries) all["models"].push_back(to_json(entry));
  all["hub_files"] = Json::array();
  for (const hub::HubName& name : hub::cached_hub_files()) {
    all["hub_files"].push_back(
        {{"name", fmt::format("hub:{}/{}", name.repo, name.file)}, {"path", hub::path_of(name).string()}});
  }
  all["other_tools"] = Json::array();
  for (const hub::OtherModel& m : hub::models_of_other_tools())
    all["other_tools"].push_back({{"tool", m.tool}, {"name", m.name}, {"path", m.path.string()}});
  fmt::print("{}\n", all.dump(2));
}

std::string_view state_of(const hub::CatalogEntry& entry) {
  if (hub::is_complete(entry)) return "downloaded";
  return hub::unreadable(entry).empty() ? "not downloaded" : "not readable";
}

// Whole or not at all: what fails here has printed nothing.
void print_table() {
  constexpr auto kRow = "{:<20} {:>8}  {:<18}  {:<14}  {}\n";
  std::string table =
      paint(Stream::kOut, Color::kBold, fmt::format(kRow, "NAME", "SIZE", "LICENCE", "STATE", "WHAT"));
  for (const hub::CatalogEntry& entry : hub::catalog().entries) {
    const bool is_default = entry.name == hub::catalog().default_name;
    table += fmt::format(kRow, entry.name, short_bytes(entry.bytes()), entry.licence.name, state_of(entry),
                         entry.title + (is_default ? " (the default)" : "") +
                             (is_runnable(entry) ? "" : " (not in this build)"));
  }
  for (const hub::HubName& name : hub::cached_hub_files()) {
    table += fmt::format("hub:{}/{}  {}\n", name.repo, name.file, short_bytes(hub::cached_bytes(name)));
  }
  const auto others = hub::models_of_other_tools();
  if (!others.empty()) table += "\nOf other tools on this machine, by path:\n";
  for (const hub::OtherModel& m : others)
    table += fmt::format("{} {}\n  {}\n", m.tool, m.name, m.path.string());
  fmt::print("{}", table);
}

int run(const Options& options) {
  static_cast<void>(catalog_with_known_knobs());
  if (!options.path_of.empty()) {
    fmt::print("{}\n", hub::resolve(options.path_of).path.string());
  } else if (options.json) {
    print_json();
  } else {
    print_table();
  }
  return 0;
}

std::function<int()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  auto* path = app.add_option("--path", options->path_of, "Print only the path of this model's file");
  name_models(*path);
  app.add_flag("--json", options->json, "Print everything the catalogue knows, as JSON")->excludes(path);
  app.footer(
      "--path ends with status 2, and says how to get the model, if it is not on this machine.\n"
      "\"not in this build\" (--json: runnable) means that this build does not know the architecture; of a "
      "file\n"
      "whose architecture it knows, kelda inspect tells whether the rest can run.");
  return [options] { return run(*options); };
}

}  // namespace

const Command& command() {
  static const Command c{.name = "models", .summary = "List the models of the catalogue", .setup = setup};
  return c;
}

}  // namespace kelda::cli::models
