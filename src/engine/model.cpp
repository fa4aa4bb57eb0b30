#include "engine/model.h"

#include <utility>

#include "base/error.h"

namespace kelda {
namespace {

// All but the tensors: what throws here knows the metadata, but not whose it is.
ModelHead understand(const Metadata& metadata) {
  ModelHead head;
  head.family = &models::find_family(metadata);
  head.config = models::read_config(metadata);
  head.vocabulary = std::make_shared<const Vocabulary>(metadata);
  head.tokenizer = text::make_tokenizer(head.vocabulary);
  head.chat_template = chat::ChatTemplate::of_model(metadata, *head.vocabulary);
  head.family->tensors(head.config, head.tensors);
  return head;
}

}  // namespace

ModelHead read_head(const ModelFile& file) {
  ModelHead head;
  try {
    head = understand(file.metadata());
  } catch (const Error& e) {
    fail(e.code(), "{}: {}", file.path().string(), e.what());
  }
  check_tensors(file, head.tensors);
  return head;
}

std::shared_ptr<const Model> Model::load(const std::filesystem::path& path, const Options& options,
                                         ThreadPool& pool) {
  const auto file = open_gguf(path);
  ModelHead head = read_head(*file);  // before the weights, so that a file that cannot run is refused at once
  std::shared_ptr<Model> model(new Model);
  model->compute_ = options.compute;
  model->config_ = std::move(head.config);
  model->vocabulary_ = std::move(head.vocabulary);
  model->tokenizer_ = std::move(head.tokenizer);
  model->chat_template_ = std::move(head.chat_template);
  model->weights_ = load_weights(*file, head.tensors, options.compute, pool, options.progress);
  model->network_ = head.family->bind(model->weights_, model->config_);
  return model;
}

}  // namespace kelda
