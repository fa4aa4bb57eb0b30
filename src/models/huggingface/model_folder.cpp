#include "models/huggingface/model_folder.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/check.h"
#include "base/error.h"
#include "base/file.h"
#include "base/naming.h"
#include "base/quote.h"
#include "files/safetensors.h"
#include "models/family.h"
#include "models/huggingface/config_json.h"
#include "models/huggingface/tensor_names.h"
#include "models/huggingface/translated_tensor.h"

namespace kelda::models {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxConfigBytes = 1 << 20;
constexpr std::size_t kMaxDims = 4;

std::string known_architectures() {
  std::string known;
  for (const Family* f : families())
    for (const std::string_view name : f->huggingface.architectures)
      known += (known.empty() ? "" : ", ") + std::string(name);
  return known;
}

const Family& family_of(ConfigJson& config) {
  const std::vector<std::string> names = config.texts("architectures");
  if (names.size() != 1) {
    fail(ErrorCode::kBadInput, "architectures names {} models; it must name one of: {}", names.size(),
         known_architectures());
  }
  for (const Family* f : families()) {
    const auto& theirs = f->huggingface.architectures;
    if (std::find(theirs.begin(), theirs.end(), names[0]) != theirs.end()) return *f;
  }
  fail(ErrorCode::kUnsupported, "architecture {} (architectures) is not supported; this build knows: {}",
       quote(names[0]), known_architectures());
}

const quant::FormatSpec& float32() { return *quant::find_format(std::string_view("f32")); }

const quant::FormatSpec& format_of(const StoredTensor& t) {
  for (const auto& [theirs, ours] :
       {std::pair("F32", "f32"), std::pair("F16", "f16"), std::pair("BF16", "bf16")})
    if (t.dtype == theirs) return *quant::find_format(std::string_view(ours));
  fail(ErrorCode::kUnsupported, "tensor {} is of type {}; this build reads F32, F16 and BF16", quote(t.name),
       t.dtype);
}

class ModelFolder final : public ModelFile {
 public:
  explicit ModelFolder(const fs::path& folder) : folder_(folder), stored_(Safetensors::open(folder)) {
    const fs::path path = folder / "config.json";
    const Family* known = nullptr;
    naming(path, [&] {
      ConfigJson config = ConfigJson::parse(read_text(path, kMaxConfigBytes));
      const Family& family = family_of(config);
      known = &family;
      const bool tied = config.boolean("tie_word_embeddings", true);
      translation_.architecture = family.name;
      translation_.metadata.add("general.architecture", MetadataValue(std::string(family.name)));
      family.huggingface.config(config, translation_);
      config.refuse_unread();
      head_dim_ = translation_.head_dim();
      add_tensors(name_tensors(stored_.tensors(), family.huggingface), tied);
    });
    if (known->huggingface.beside != nullptr) known->huggingface.beside(folder, translation_);
    container_ =
        stored_.n_files() == 1 ? "safetensors" : fmt::format("safetensors, {} files", stored_.n_files());
  }

  const fs::path& path() const override { return folder_; }
  std::string_view container() const override { return container_; }
  uint64_t file_bytes() const override { return stored_.file_bytes(); }
  const Metadata& metadata() const override { return translation_.metadata; }
  const std::vector<TensorInfo>& tensors() const override { return tensors_; }

  const TensorInfo* find(std::string_view name) const override {
    const auto at = std::lower_bound(tensors_.begin(), tensors_.end(), name,
                                     [](const TensorInfo& t, std::string_view n) { return t.name < n; });
    return at != tensors_.end() && at->name == name ? &*at : nullptr;
  }

  void read(const TensorInfo& t, uint64_t first, std::span<std::byte> out) const override {
    KELDA_CHECK(first <= t.bytes && out.size() <= t.bytes - first);
    if (const auto source = sources_.find(t.name); source != sources_.end())
      return source->second.read(stored_, first, out);
    const auto values = std::as_bytes(std::span(translation_.tensors.at(t.name)));
    std::memcpy(out.data(), values.data() + first, out.size());
  }

 private:
  void add_tensors(const std::map<std::string, NamedSource>& named, bool tied) {
    for (const auto& [name, source] : named)
      if (!(tied && name == "output.weight")) add_stored(name, source);  // a copy of the embedding
    for (const auto& [name, values] : translation_.tensors) {
      tensors_.push_back({.name = name,
                          .shape = {static_cast<int64_t>(values.size())},
                          .format = &float32(),
                          .gguf_type = float32().gguf_type,
                          .bytes = values.size() * sizeof(float)});
    }
    std::sort(tensors_.begin(), tensors_.end(),
              [](const TensorInfo& a, const TensorInfo& b) { return a.name < b.name; });
  }

  void add_stored(const std::string& name, const NamedSource& named) {
    const StoredTensor& first = *named.parts[0];
    for (const StoredTensor* part : named.parts) {
      if (part->shape != first.shape || part->dtype != first.dtype)
        fail(ErrorCode::kBadInput, "tensors {} and {} differ in shape or type", quote(first.name),
             quote(part->name));
    }
    const quant::FormatSpec& format = format_of(first);
    TranslatedTensor translated{.how = named.how,
                                .parts = named.parts,
                                .head_dim = head_dim_,
                                .element_bytes = static_cast<std::size_t>(quant::row_bytes(format, 1))};
    TensorInfo t{.name = name, .shape = {}, .format = &format, .bytes = translated.bytes()};
    if (named.is_stack) t.shape.push_back(static_cast<int64_t>(named.parts.size()));
    t.shape.insert(t.shape.end(), first.shape.begin(), first.shape.end());
    if (named.how == Translated::kPlusOne) t.format = &float32();
    if (named.how == Translated::kTransposed) std::reverse(t.shape.begin(), t.shape.end());
    const bool is_tensor = !first.shape.empty() && t.shape.size() <= kMaxDims && t.bytes > 0;
    const bool cut_in_heads = named.how == Translated::kInterleaved;
    if (!is_tensor || (cut_in_heads && first.shape[0] % head_dim_ != 0))
      fail(ErrorCode::kBadInput, "tensor {} has shape [{}]", quote(first.name), fmt::join(first.shape, ", "));
    t.gguf_type = t.format->gguf_type;
    t.offset = first.offset;
    tensors_.push_back(std::move(t));
    sources_.emplace(name, std::move(translated));
  }

  fs::path folder_;
  Safetensors stored_;
  std::string container_;
  Translation translation_ = {};
  int64_t head_dim_ = 0;
  std::vector<TensorInfo> tensors_;                               // sorted by name
  std::map<std::string, TranslatedTensor, std::less<>> sources_;  // of those that are stored
};

}  // namespace

std::unique_ptr<ModelFile> open_model_folder(const fs::path& folder) {
  return std::make_unique<ModelFolder>(folder);
}

}  // namespace kelda::models
