#include "engine/model.h"

#include <utility>

#include "base/naming.h"
#include "engine/model_text.h"

namespace kelda {
namespace {

// All but the tensors: what throws here knows the metadata, but not whose it is.
ModelHead understand(const ModelFile& file) {
  ModelHead head;
  head.family = &models::find_family(file.metadata());
  head.config = models::read_config(file.metadata());
  ModelText text = read_text_of(file);
  head.vocabulary = text.tokenizer->shared_vocabulary();
  head.tokenizer = std::move(text.tokenizer);
  head.chat_template = std::move(text.chat_template);
  head.family->tensors(head.config, head.tensors);
  return head;
}

}  // namespace

ModelHead read_head(const ModelFile& file) {
  ModelHead head = naming(file.path(), [&] { return understand(file); });
  check_tensors(file, head.tensors);
  return head;
}

std::shared_ptr<const Model> Model::load(const std::filesystem::path& path, const Options& options,
                                         ThreadPool& pool) {
  const auto file = open_model(path);
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
