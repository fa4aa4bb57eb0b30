#include "apps/kelda/tokenizer_source.h"

#include <filesystem>

#include "base/file.h"
#include "base/naming.h"
#include "engine/model_text.h"
#include "files/model_file.h"
#include "hub/resolve.h"
#include "learned/vocabulary.h"
#include "text/tokenizer_json.h"

namespace kelda::cli {
namespace {

constexpr uint64_t kMaxJsonBytes = 256 << 20;

std::unique_ptr<const text::Tokenizer> read(const std::filesystem::path& path) {
  if (path.extension() == ".json") return text::read_tokenizer_json(read_text(path, kMaxJsonBytes));
  if (is_folder(path)) return std::move(read_text_of_folder(path, 0).tokenizer);
  return text::make_tokenizer(std::make_shared<const Vocabulary>(open_gguf(path)->metadata()));
}

}  // namespace

std::unique_ptr<const text::Tokenizer> load_tokenizer(const std::string& model) {
  const std::filesystem::path path = hub::resolve(model).path;
  return naming(path, [&] { return read(path); });
}

}  // namespace kelda::cli
