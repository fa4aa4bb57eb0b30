// Brings a model onto this machine: from one of its sources, verified, whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "files/model_file.h"
#include "hub/catalog.h"

namespace kelda::hub {

struct PullOptions {
  bool force = false;  // fetch again although it is there
};

enum class PullPhase { kFetch, kVerify };

struct PullProgress {
  PullPhase phase = PullPhase::kFetch;
  uint64_t done = 0;
  uint64_t resumed = 0;  // bytes that an earlier try left
  std::optional<uint64_t> total;
};

// What is about to happen, told before it does.
struct PullPlan {
  std::string_view name;
  const CatalogEntry* entry = nullptr;  // null for a hub: name
  const ModelFile* model = nullptr;     // the head of the remote file, if it could be read
  std::optional<uint64_t> download_bytes;
};

struct PullCallbacks {
  // Asked for a licence with consent_required, before anything is fetched. None, or false: the pull is
  // refused (kUsage).
  std::function<bool(const CatalogEntry&)> consent;
  std::function<void(const PullPlan&)> plan;
  std::function<void(const PullProgress&)> progress;
  std::function<void(std::string_view)> notice;  // "… ; trying the next source"
  std::function<bool()> cancelled;
};

// Tells `progress` of a file being verified, the `before` bytes of earlier files included, and asks
// `cancelled`: for sha256_of_file(). The callbacks outlive it.
std::function<bool(uint64_t)> verify_progress(const PullCallbacks& callbacks, uint64_t before,
                                              std::optional<uint64_t> total);

struct Pulled {
  std::filesystem::path path;  // what is opened
  bool already_there = false;
};

// `name` is of the catalogue, or hub:organisation/repository/file; empty means the catalogue's default. A
// file named as a part of a split set stands for the whole set. Two pulls of the same name at once: the
// second waits, then finds the file. Prints nothing. Throws kNotFound for an unknown name (with the nearest
// one), kInterrupted if cancelled (what arrived is kept for the next try), and what its sources throw.
Pulled pull(std::string_view name, const PullOptions& options, const PullCallbacks& callbacks);

}  // namespace kelda::hub
