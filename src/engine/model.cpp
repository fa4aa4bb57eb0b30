#include "engine/model.h"

namespace kelda {

std::shared_ptr<const Model> Model::load(const std::filesystem::path& path, const Options& options,
                                         ThreadPool& pool) {
  const auto file = open_gguf(path);
  std::shared_ptr<Model> model(new Model);
  // The cheap things first, so that a file that cannot run is refused before its weights are read.
  model->compute_ = options.compute;
  const models::Family& family = models::find_family(file->metadata());
  model->config_ = models::read_config(file->metadata());
  model->vocabulary_ = std::make_shared<const Vocabulary>(file->metadata());
  model->tokenizer_ = text::make_tokenizer(model->vocabulary_);
  TensorList tensors;
  family.tensors(model->config_, tensors);
  model->weights_ = load_weights(*file, tensors, options.compute, pool, options.progress);
  model->network_ = family.bind(model->weights_, model->config_);
  return model;
}

}  // namespace kelda
