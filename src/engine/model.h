// A loaded model: everything LEARNED and the CONFIG that came with it. Immutable, shared by any number of
// runners.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "base/thread_pool.h"
#include "chat/chat_template.h"
#include "config/model_config.h"
#include "engine/recommended.h"
#include "files/model_file.h"
#include "learned/vocabulary.h"
#include "learned/weights.h"
#include "models/family.h"
#include "models/rope_override.h"
#include "text/tokenizer.h"

namespace kelda {

// What a file says before its weights are read, checked: all that loading and the memory arithmetic need.
struct ModelHead {
  const models::Family* family = nullptr;
  ModelConfig config;
  std::shared_ptr<const Vocabulary> vocabulary;
  std::unique_ptr<const text::Tokenizer> tokenizer;
  std::shared_ptr<const chat::ChatTemplate> chat_template;
  Recommended recommended;
  TensorList tensors;
};
// window: positions that texts will have at most, 0 for the model's own; LongRoPE's factors depend on it.
// Throws kelda::Error, whose message begins with the file's path, for a file that this build cannot run.
ModelHead read_head(const ModelFile& file, const models::RopeOverride& rope = {}, int64_t window = 0);

class Model {
 public:
  struct Options {
    Compute compute = Compute::kAuto;
    std::function<void(uint64_t done, uint64_t total)> progress = {};  // bytes of the file
    models::RopeOverride rope = {};
    int64_t window = 0;                          // positions that texts will have at most; 0: the model's
    models::Role role = models::Role::kDecoder;  // what the model is wanted for
  };
  // Reads, checks and packs. Throws kelda::Error: the path, and what is wrong with the file; kUnsupported,
  // before the weights are read, for a model of another role.
  static std::shared_ptr<const Model> load(const std::filesystem::path& path, const Options& options,
                                           ThreadPool& pool);

  const ModelConfig& config() const { return config_; }
  const Weights& weights() const { return weights_; }
  const Vocabulary& vocabulary() const { return *vocabulary_; }
  const text::Tokenizer& tokenizer() const { return *tokenizer_; }
  // Never null; what is wrong with it is among its findings.
  const std::shared_ptr<const chat::ChatTemplate>& chat_template() const { return chat_template_; }
  const Recommended& recommended() const { return recommended_; }
  models::Role role() const { return network_ != nullptr ? models::Role::kDecoder : models::Role::kEncoder; }
  const models::Network& network() const;         // of a decoder (KELDA_CHECK)
  const models::EncoderNetwork& encoder() const;  // of an encoder (KELDA_CHECK)
  Compute compute() const { return compute_; }
  uint64_t learned_bytes() const { return weights_.bytes() + vocabulary_->bytes(); }

 private:
  Model() = default;
  ModelConfig config_;
  Weights weights_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  std::unique_ptr<const text::Tokenizer> tokenizer_;
  std::shared_ptr<const chat::ChatTemplate> chat_template_;
  Recommended recommended_;
  std::unique_ptr<const models::Network> network_;  // or
  std::unique_ptr<const models::EncoderNetwork> encoder_;
  Compute compute_ = Compute::kAuto;
};

}  // namespace kelda
