// What the engine's tests share: a tiny model of random weights, and requests of it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model.h"
#include "engine/request.h"
#include "models/tiny_model.h"
#include "sampling/request_knobs.h"

namespace kelda::testing {

inline std::shared_ptr<const Model> tiny_llama(int64_t n_ctx = 256, std::string_view family = "llama") {
  const auto path = write_tiny_model(*models::find_family(family), {.format = "q8_0", .n_ctx = n_ctx});
  ThreadPool pool(1);
  auto model = Model::load(path, {}, pool);
  std::filesystem::remove(path);
  return model;
}

inline Knobs request_knobs(const std::string& json) {
  Knobs knobs(sampling::request_knobs());
  knobs.set_from_json(json, "request");
  return knobs;
}

inline Request request(std::vector<TokenId> prompt, const std::string& knobs_json) {
  return {std::move(prompt), request_knobs(knobs_json)};
}

inline std::vector<TokenId> encode(const Model& model, std::string_view text) {
  return model.tokenizer().encode_prompt(text, text::Special::kText).ids;
}

}  // namespace kelda::testing
