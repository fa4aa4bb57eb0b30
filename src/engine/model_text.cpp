#include "engine/model_text.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/naming.h"
#include "base/quote.h"
#include "models/huggingface/config_json.h"
#include "models/huggingface/model_folder.h"
#include "text/tokenizer_json.h"

namespace kelda {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxTokenizerBytes = 256 << 20;
constexpr uint64_t kMaxSettingsBytes = 4 << 20;
constexpr int64_t kMaxId = INT32_MAX;
constexpr std::string_view kTemplate = "tokenizer.chat_template";

std::optional<models::ConfigJson> settings(const fs::path& path) {
  if (!is_there(path)) return std::nullopt;
  return naming(path, [&] { return models::ConfigJson::parse(read_text(path, kMaxSettingsBytes)); });
}

// "</s>", or an added token's object with that as its content.
std::string piece(models::ConfigJson& config, std::string_view key) {
  return config.is_object(key) ? config.object(key)->text("content", "") : config.text(key, "");
}

// A template, or a list of them with names, of which GGUF files carry two.
void read_template(models::ConfigJson& config, Metadata& out) {
  if (!config.has("chat_template")) return;
  if (!config.is_list("chat_template")) {
    out.set(kTemplate, config.text("chat_template", ""));
    return;
  }
  for (models::ConfigJson& named : config.objects("chat_template")) {
    const std::string name = named.text("name", "default");
    if (name == "default") out.set(kTemplate, named.text("template", ""));
    if (name == "tool_use") out.set(fmt::format("{}.tool_use", kTemplate), named.text("template", ""));
  }
}

void read_tokenizer_config(const fs::path& path, text::TokenizerHints& hints, Metadata& out) {
  auto config = settings(path);
  if (!config) return;
  naming(path, [&] {
    hints.bos = piece(*config, "bos_token");
    hints.eos = piece(*config, "eos_token");
    read_template(*config, out);
  });
}

void read_end_tokens(models::ConfigJson& config, text::TokenizerHints& hints) {
  const int64_t last = hints.n_tokens > 0 ? hints.n_tokens - 1 : kMaxId;
  for (const int64_t id : config.integers("eos_token_id", 0, last))
    hints.end_tokens.push_back(static_cast<TokenId>(id));
}

// Where there is no generation_config.json, config.json says which tokens end an answer, as in transformers.
void read_generation_config(const fs::path& folder, text::TokenizerHints& hints, Recommended& recommended) {
  const fs::path path = folder / "generation_config.json", fallback = folder / "config.json";
  if (auto config = settings(path)) {
    naming(path, [&] {
      recommended = recommended_by(*config);
      read_end_tokens(*config, hints);
    });
  } else if (auto network = settings(fallback)) {
    naming(fallback, [&] { read_end_tokens(*network, hints); });
  }
}

}  // namespace

std::unique_ptr<ModelFile> open_model(const fs::path& path) {
  if (path.extension() == ".safetensors" && !is_folder(path)) {
    fail(ErrorCode::kBadInput,
         "{}: tensors without the model's settings: name the folder, with its config.json", path.string());
  }
  if (!is_folder(path)) return open_gguf(path);
  if (!is_there(path / "config.json")) {
    refuse_broken_link(path / "config.json");
    fail(ErrorCode::kBadInput,
         "{}: is a directory without config.json; a model is a GGUF file, or a folder with one, or one as "
         "Hugging Face's tools "
         "write it",
         path.string());
  }
  return models::open_model_folder(path);
}

ModelText read_text_of(const ModelFile& file) {
  const Metadata& m = file.metadata();
  if (!m.has("tokenizer.ggml.model") && is_folder(file.path())) {
    const std::string key = fmt::format("{}.vocab_size", m.text("general.architecture", ""));
    return read_text_of_folder(file.path(), static_cast<int32_t>(m.integer(key, 0, kMaxId, 0)));
  }
  const auto vocabulary = std::make_shared<const Vocabulary>(m);
  return {text::make_tokenizer(vocabulary), chat::ChatTemplate::of_model(m, *vocabulary), recommended_by(m)};
}

ModelText read_text_of_folder(const fs::path& folder, int32_t n_tokens) {
  const fs::path path = folder / "tokenizer.json";
  if (!is_there(path)) {
    fail(ErrorCode::kNotFound,
         "{}: there is no tokenizer.json, by which text becomes ids; other tokenizer files are not read",
         folder.string());
  }
  text::TokenizerHints hints{.bos = {}, .eos = {}, .n_tokens = n_tokens};
  Metadata about;
  ModelText out;
  read_tokenizer_config(folder / "tokenizer_config.json", hints, about);
  read_generation_config(folder, hints, out.recommended);
  const fs::path of_its_own = folder / "chat_template.jinja";
  std::string_view template_name = "tokenizer_config.json: chat_template";
  if (is_there(of_its_own)) {
    about.set(kTemplate, read_text(of_its_own, chat::kMaxTemplateBytes));
    template_name = "chat_template.jinja";
  }
  out.tokenizer =
      naming(path, [&] { return text::read_tokenizer_json(read_text(path, kMaxTokenizerBytes), hints); });
  out.chat_template = chat::ChatTemplate::of_model(about, out.tokenizer->vocabulary(), template_name);
  return out;
}

}  // namespace kelda
