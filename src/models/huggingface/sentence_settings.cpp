#include "models/huggingface/sentence_settings.h"

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/naming.h"
#include "base/quote.h"
#include "models/huggingface/config_json.h"

namespace kelda::models {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxBytes = 1 << 20;
constexpr std::string_view kOrder[] = {"Transformer", "Pooling", "Normalize"};

struct Modules {
  std::string pooling;  // its folder
  bool normalize = false;
};

// The class alone: where it lies in the package has changed over the versions.
std::string class_of(ConfigJson& module) {
  const std::string type = module.text("type", "");
  return type.substr(type.rfind('.') + 1);
}

// The name of a folder here, not a way out of it.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name[0] != '.' && name.find('/') == std::string_view::npos;
}

Modules read_modules(std::vector<ConfigJson> list) {
  if (list.size() < 2 || list.size() > std::size(kOrder)) {
    fail(ErrorCode::kUnsupported, "lists {} modules; this build runs {}, the last of them if it is there",
         list.size(), fmt::join(kOrder, ", "));
  }
  Modules out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    ConfigJson& module = list[i];
    if (class_of(module) != kOrder[i]) {
      fail(ErrorCode::kUnsupported, "{} is {}; this build runs a {} here", module.full("type"),
           quote(module.text("type", "")), kOrder[i]);
    }
    const std::string path = module.text("path", "");
    const bool in_place = i == 0 ? path.empty() : i == 1 ? is_plain_name(path) : true;
    if (!in_place) {
      fail(ErrorCode::kBadInput, "{} is {}; it must be {}", module.full("path"), quote(path),
           i == 0 ? "empty, which is this folder" : "the name of a folder in this one");
    }
    if (i == 1) out.pooling = path;
    for (const char* key : {"idx", "name"}) module.ignore(key);
    module.refuse_unread();
  }
  out.normalize = list.size() == std::size(kOrder);
  return out;
}

// GGUF's number of it.
uint32_t read_pooling_type(ConfigJson& c, int64_t width) {
  for (const char* key : {"word_embedding_dimension", "embedding_dimension"})
    c.integer(key, width, width, width);
  c.only("include_prompt", true);
  std::vector<std::string> modes;
  if (c.is_list("pooling_mode")) {
    modes = c.texts("pooling_mode");
  } else if (c.has("pooling_mode")) {
    modes = {c.text("pooling_mode", "")};
  }
  for (const auto& [key, mode] :
       {std::pair("pooling_mode_cls_token", "cls"), std::pair("pooling_mode_mean_tokens", "mean"),
        std::pair("pooling_mode_max_tokens", "max"),
        std::pair("pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens"),
        std::pair("pooling_mode_weightedmean_tokens", "weightedmean"),
        std::pair("pooling_mode_lasttoken", "lasttoken")})
    if (c.boolean(key, false)) modes.emplace_back(mode);
  c.refuse_unread();
  if (modes == std::vector<std::string>{"mean"}) return 1;
  if (modes == std::vector<std::string>{"cls"}) return 2;
  fail(ErrorCode::kUnsupported, "pooling_mode is {}; this build pools by mean or by cls",
       quote(fmt::format("{}", fmt::join(modes, "+"))));
}

}  // namespace

void translate_sentence_modules(const fs::path& folder, Translation& t) {
  const fs::path path = folder / "modules.json";
  if (!is_there(path)) return;
  const Modules modules =
      naming(path, [&] { return read_modules(ConfigJson::parse_list(read_text(path, kMaxBytes))); });
  const int64_t width =
      t.metadata.integer(fmt::format("{}.embedding_length", t.architecture), 1, int64_t{1} << 20);
  const fs::path pooling = folder / modules.pooling / "config.json";
  t.set_integer("pooling_type", naming(pooling, [&] {
                  ConfigJson c = ConfigJson::parse(read_text(pooling, kMaxBytes));
                  return read_pooling_type(c, width);
                }));
  t.set("normalize_embeddings", modules.normalize);
}

}  // namespace kelda::models
