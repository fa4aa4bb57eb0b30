#include "engine/model.h"

#include <utility>

#include "base/check.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/naming.h"
#include "engine/model_text.h"
#include "models/layers/rotary.h"

namespace kelda {
namespace {

// All but the tensors: what throws here knows the metadata, but not whose it is.
ModelHead understand(const ModelFile& file, const models::RopeOverride& rope, int64_t window) {
  ModelHead head;
  naming(file.metadata_path(), [&] {
    head.family = &models::find_family(file.metadata());
    head.config = rope.is_set()
                      ? models::config_with_rope(file.metadata(), rope, models::has_rope_factors(file))
                      : models::read_config(file.metadata());
  });
  models::fit_long_rope(head.config, window);
  ModelText text = read_text_of(file);
  head.vocabulary = text.tokenizer->shared_vocabulary();
  head.tokenizer = std::move(text.tokenizer);
  head.chat_template = std::move(text.chat_template);
  head.recommended = std::move(text.recommended);
  head.family->tensors(head.config, head.tensors);
  return head;
}

void require_role(models::Role wanted, const models::Family& family, const std::filesystem::path& path) {
  if (wanted == family.role()) return;
  if (wanted == models::Role::kDecoder) {
    fail(ErrorCode::kUnsupported,
         "{}: architecture {} is an encoder: it turns a text into a vector and writes no text; `kelda embed` "
         "runs it",
         path.string(), family.name);
  }
  std::string encoders;
  for (const models::Family* f : models::families()) {
    if (f->role() == models::Role::kEncoder)
      encoders += (encoders.empty() ? "" : ", ") + std::string(f->name);
  }
  fail(ErrorCode::kUnsupported,
       "{}: architecture {} is a decoder: it goes on with a text, which `kelda run` does; vectors of texts "
       "come from encoders ({})",
       path.string(), family.name, encoders);
}

}  // namespace

ModelHead read_head(const ModelFile& file, const models::RopeOverride& rope, int64_t window) {
  const FloatEnvironment rounding;
  models::require_meaning(rope);  // whatever the file says
  ModelHead head = naming(file.path(), [&] { return understand(file, rope, window); });
  check_tensors(file, head.tensors);
  return head;
}

std::shared_ptr<const Model> Model::load(const std::filesystem::path& path, const Options& options,
                                         ThreadPool& pool) {
  const FloatEnvironment rounding;  // tables of a network are computed on the caller's thread
  const auto file = open_model(path);
  // Before the weights, so that a file that cannot run is refused at once.
  ModelHead head = read_head(*file, options.rope, options.window);
  require_role(options.role, *head.family, path);
  std::shared_ptr<Model> model(new Model);
  model->compute_ = options.compute;
  model->config_ = std::move(head.config);
  model->vocabulary_ = std::move(head.vocabulary);
  model->tokenizer_ = std::move(head.tokenizer);
  model->chat_template_ = std::move(head.chat_template);
  model->recommended_ = std::move(head.recommended);
  model->weights_ = load_weights(*file, head.tensors, options.compute, pool, options.progress);
  naming(path, [&] {
    if (head.family->role() == models::Role::kEncoder) {
      model->encoder_ = head.family->bind_encoder(model->weights_, model->config_);
    } else {
      model->network_ = head.family->bind(model->weights_, model->config_);
    }
  });
  return model;
}

const models::Network& Model::network() const {
  KELDA_CHECK(network_ != nullptr);
  return *network_;
}

const models::EncoderNetwork& Model::encoder() const {
  KELDA_CHECK(encoder_ != nullptr);
  return *encoder_;
}

}  // namespace kelda
