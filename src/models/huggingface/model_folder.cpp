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
    for (const HuggingFaceClass& theirs : f->huggingface.architectures)
      known += (known.empty() ? "" : ", ") + std::string(theirs.name);
  return known;
}

const Family& family_of(ConfigJson& config) {
  const std::vector<std::string> names = config.texts("architectures");
  if (names.size() != 1) {
    fail(ErrorCode::kBadInput, "architectures names {} models; it must name one of: {}", names.size(),
         known_architectures());
  }
  for (const Family* f : families()) {
    for (const HuggingFaceClass& theirs : f->huggingface.architectures) {
      if (theirs.name != names[0]) continue;
      const std::string type = config.text("model_type", theirs.model_type);
      if (type == theirs.model_type) return *f;
      fail(ErrorCode::kBadInput, "model_type is {}, but architectures has {}, whose model_type is {}",
           quote(type), theirs.name, theirs.model_type);
    }
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

constexpr std::string_view kTie = "tie_word_embeddings";

// Whether the embedding is the head too.
struct Tie {
  bool is_stated = false, tied = false;
  std::string text() const {
    return fmt::format("{}{}", is_stated ? "" : "absent, which is ", tied ? "true" : "false");
  }
};

class ModelFolder final : public ModelFile {
 public:
  explicit ModelFolder(const fs::path& folder) : folder_(folder), stored_(Safetensors::open(folder)) {
    const fs::path path = folder / "config.json";
    Tie tie;
    naming(path, [&] {
      ConfigJson config = ConfigJson::parse(read_text(path, kMaxConfigBytes));
      const Family& family = family_of(config);
      family_ = &family;
      tie = {.is_stated = config.has(kTie), .tied = config.boolean(kTie, family.huggingface.tied)};
      translation_.architecture = family.name;
      translation_.metadata.add("general.architecture", MetadataValue(std::string(family.name)));
      family.huggingface.config(config, translation_);
      config.refuse_unread();
      head_dim_ = translation_.head_dim();
    });
    naming(folder, [&] {
      auto named = name_tensors(stored_.tensors(), family_->huggingface);
      if (family_->role() == Role::kDecoder) settle_head(named, tie);
      if (translation_.attention_bias) check_biases(named, *translation_.attention_bias);
      add_tensors(named);
    });
    if (family_->huggingface.beside != nullptr) family_->huggingface.beside(folder, translation_);
    container_ =
        stored_.n_files() == 1 ? "safetensors" : fmt::format("safetensors, {} files", stored_.n_files());
  }

  const fs::path& path() const override { return folder_; }
  fs::path metadata_path() const override { return folder_ / "config.json"; }
  std::string shown_name(std::string_view name) const override {
    const auto source = sources_.find(name);
    const std::string theirs = source != sources_.end() ? source->second.parts[0]->name : absent_name(name);
    return theirs == name ? quote(name) : fmt::format("{} ({} of a GGUF file)", quote(theirs), name);
  }
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
  using Named = std::map<std::string, NamedSource>;

  // What the folder would call a tensor that it has not. Heads are beside what has the prefix.
  std::string absent_name(std::string_view name) const {
    const std::string theirs = stored_name(name, family_->huggingface),
                      prefix(family_->huggingface.optional_prefix);
    const bool has_prefix = std::ranges::any_of(
        stored_.tensors(), [&](const StoredTensor& t) { return t.name.starts_with(prefix); });
    return has_prefix && theirs != name && !theirs.starts_with("lm_head.") ? prefix + theirs : theirs;
  }

  // Whether config.json and the tensors agree on what the head is; a copy of the embedding is let go.
  void settle_head(Named& named, const Tie& tie) const {
    const auto head = named.find("output.weight"), embedding = named.find("token_embd.weight");
    const std::string said = fmt::format("{} of config.json is {}", kTie, tie.text());
    if (head == named.end() && !tie.tied)
      fail(ErrorCode::kBadInput, "{}, but there is no tensor \"lm_head.weight\"", said);
    if (head == named.end() || embedding == named.end() || !tie.tied) return;
    const StoredTensor &a = *embedding->second.parts[0], &b = *head->second.parts[0];
    if (!same_bytes(a, b))
      fail(ErrorCode::kBadInput, "{}, but tensors {} and {} differ", said, quote(a.name), quote(b.name));
    named.erase(head);
  }

  // That some layers have none is for the list of the family's tensors to find.
  void check_biases(const Named& named, bool stated) const {
    for (const char* part : {"attn_q", "attn_k", "attn_v", "attn_output"}) {
      const auto bias = named.find(block_tensor(0, part, "bias"));
      if ((bias != named.end()) == stated) continue;
      if (stated) {
        fail(ErrorCode::kBadInput, "attention_bias of config.json is true, but there is no tensor {}",
             quote(absent_name(block_tensor(0, part, "bias"))));
      }
      fail(ErrorCode::kBadInput, "attention_bias of config.json is not true, but there is a tensor {}",
           quote(bias->second.parts[0]->name));
    }
  }

  bool same_bytes(const StoredTensor& a, const StoredTensor& b) const {
    constexpr uint64_t kPiece = 1 << 20;
    if (a.shape != b.shape || a.dtype != b.dtype) return false;
    std::vector<std::byte> x, y;
    for (uint64_t at = 0; at < a.bytes; at += kPiece) {
      x.resize(std::min(kPiece, a.bytes - at));
      y.resize(x.size());
      stored_.read(a, at, x);
      stored_.read(b, at, y);
      if (x != y) return false;
    }
    return true;
  }

  void add_tensors(const Named& named) {
    for (const auto& [name, source] : named)
      naming(stored_.path_of(*source.parts[0]), [&] { add_stored(name, source); });
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
    check_shape(first, named);
    TranslatedTensor translated{.how = named.how,
                                .parts = named.parts,
                                .head_dim = head_dim_,
                                .element_bytes = static_cast<std::size_t>(quant::row_bytes(format, 1))};
    TensorInfo t{.name = name, .shape = {}, .format = &format, .bytes = translated.bytes()};
    if (named.is_stack) t.shape.push_back(static_cast<int64_t>(named.parts.size()));
    t.shape.insert(t.shape.end(), first.shape.begin(), first.shape.end());
    if (named.how == Translated::kPlusOne) t.format = &float32();
    if (named.how == Translated::kTransposed) std::reverse(t.shape.begin(), t.shape.end());
    t.gguf_type = t.format->gguf_type;
    t.offset = first.offset;
    tensors_.push_back(std::move(t));
    sources_.emplace(name, std::move(translated));
  }

  void check_shape(const StoredTensor& t, const NamedSource& named) const {
    const auto refuse = [&](const std::string& wanted) {
      fail(ErrorCode::kBadInput, "tensor {} has shape [{}]: {}", quote(t.name), fmt::join(t.shape, ", "),
           wanted);
    };
    const std::size_t most = kMaxDims - (named.is_stack ? 1 : 0);
    if (t.shape.empty() || t.shape.size() > most)
      refuse(fmt::format("1 to {} dimensions are required", most));
    if (t.bytes == 0) refuse("it holds no numbers; each dimension must be at least 1");
    if (named.how == Translated::kInterleaved && t.shape[0] % head_dim_ != 0)
      refuse(
          fmt::format("the first dimension must be a multiple of {}, the dimensions of a head", head_dim_));
  }

  fs::path folder_;
  const Family* family_ = nullptr;
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
