// A tiny model that runs: two layers of random weights, a window of 256.
#pragma once

#include <filesystem>
#include <memory>

#include "engine/runner.h"
#include "models/tiny_model.h"

namespace kelda::testing {

struct TinyRunner {
  explicit TinyRunner(std::string_view family = "llama", int n_threads = 2) : pool(n_threads) {
    const auto path = write_tiny_model(*models::find_family(family), {.format = "q4_1", .n_ctx = 256});
    runner = std::make_unique<Runner>(Model::load(path, {}, pool), Runner::Options{}, pool);
    std::filesystem::remove(path);
  }
  ThreadPool pool;
  std::unique_ptr<Runner> runner;
};

}  // namespace kelda::testing
