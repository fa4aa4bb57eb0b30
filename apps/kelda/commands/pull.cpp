// kelda pull: downloads a model and verifies it.
#include "hub/pull.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "apps/kelda/catalog_knobs.h"
#include "apps/kelda/command.h"
#include "apps/kelda/footprint.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/terminal/progress_bar.h"
#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/signals.h"
#include "apps/kelda/terminal/style.h"
#include "base/error.h"
#include "base/quote.h"
#include "models/family.h"

namespace kelda::cli::pull {
namespace {

struct Options {
  std::string name;
  bool force = false, yes = false, quiet = false;
};

// A model may be fetched for a later build, but not by mistake.
void note_what_cannot_run(std::string_view architecture) {
  if (models::find_family(architecture) != nullptr) return;
  say("note: not in this build: it does not know the architecture {}, so it cannot run this model\n",
      quote(architecture));
}

// Nothing for a model that this build cannot run: the catalogue knows the figures of its own ones alone.
std::optional<Footprint> footprint_of(const hub::PullPlan& plan) {
  if (plan.entry != nullptr) return footprint(*plan.entry);
  if (plan.model == nullptr) return std::nullopt;
  try {
    return footprint(*plan.model);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kBadInput && error.code() != ErrorCode::kUnsupported) throw;
    return std::nullopt;
  }
}

void print_plan(const hub::PullPlan& plan) {
  const std::string title = plan.entry != nullptr ? plan.entry->title : std::string(plan.name);
  say("{}: {} to download\n", paint(Stream::kErr, Color::kBold, title),
      plan.download_bytes ? human_bytes(*plan.download_bytes) : "an unknown number of bytes");
  if (plan.entry != nullptr) {
    say("  licence   {}, {}\n", plan.entry->licence.name, plan.entry->licence.url);
  }
  if (plan.model != nullptr) {
    if (plan.model->metadata().has("general.architecture"))
      note_what_cannot_run(plan.model->metadata().text("general.architecture"));
    say("  file      {}, {} tensors\n", plan.model->container(), plan.model->tensors().size());
  }
  if (const auto f = footprint_of(plan)) say("{}", memory_table(*f));
}

bool ask(const hub::CatalogEntry& entry, bool yes) {
  say("{} may be used under the {}: {}\n", entry.title, entry.licence.name, entry.licence.url);
  if (yes) return true;
  if (::isatty(STDIN_FILENO) != 1) {
    say("There is no terminal to ask at; --yes says that you agree.\n");
    return false;
  }
  say("Do you agree? [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

int run(const Options& options) {
  ProgressBar bar(ProgressBar::mode(options.quiet));
  const InterruptGuard guard;
  const hub::PullCallbacks callbacks{
      .consent = [&](const hub::CatalogEntry& entry) { return ask(entry, options.yes); },
      .plan =
          [&](const hub::PullPlan& plan) {
            if (!options.quiet) print_plan(plan);
          },
      .progress =
          [&](const hub::PullProgress& p) {
            bar.update(p.phase == hub::PullPhase::kFetch ? "fetch " : "verify", p.done, p.resumed, p.total);
          },
      .notice =
          [&](std::string_view text) {
            bar.clear();
            if (!options.quiet) say("kelda: {}\n", escape_controls(text));
          },
      .cancelled = [&] { return guard.interrupted(); }};
  const hub::Catalog& catalog = catalog_with_known_knobs();
  const auto* entry = catalog.find(options.name.empty() ? catalog.default_name : options.name);
  if (entry != nullptr && !options.quiet) note_what_cannot_run(entry->architecture);
  hub::Pulled pulled;
  try {
    pulled = hub::pull(options.name, {.force = options.force}, callbacks);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInterrupted) throw;
    bar.clear();
    say("kelda: interrupted; the next pull goes on from what has arrived\n");
    return guard.exit_status();
  }
  bar.clear();
  if (!options.quiet) {
    say("{}\n", paint(Stream::kErr, Color::kGreen, pulled.already_there ? "already there" : "done"));
  }
  fmt::print("{}\n", pulled.path.string());
  return 0;
}

std::function<int()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  name_models(*app.add_option("model", options->name,
                              "A name of the catalogue (see kelda models), or "
                              "hub:organisation/repository/file, where any part of a split set stands for "
                              "the set. Without one: the catalogue's default."));
  app.add_flag("--force", options->force, "Fetch it again although it is there");
  app.add_flag("--yes", options->yes, "Agree to the model's licence without being asked");
  app.add_flag("--quiet", options->quiet, "Print only the path and errors");
  app.footer(
      "Prints the path of the file. An interrupted download goes on where it stopped.\n"
      "Environment: XDG_CACHE_HOME (where models are kept), HF_ENDPOINT and HF_TOKEN (the hub and its "
      "token),\n"
      "http_proxy, https_proxy, no_proxy, SSL_CERT_FILE, KELDA_CATALOG (a catalogue of your own).");
  return [options] { return run(*options); };
}

}  // namespace

const Command& command() {
  static const Command c{.name = "pull", .summary = "Download a model and verify it", .setup = setup};
  return c;
}

}  // namespace kelda::cli::pull
