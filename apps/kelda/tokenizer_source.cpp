#include "apps/kelda/tokenizer_source.h"

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "files/model_file.h"
#include "hub/resolve.h"
#include "learned/vocabulary.h"
#include "text/tokenizer_json.h"

namespace kelda::cli {
namespace {

constexpr uint64_t kMaxJsonBytes = 256 << 20;

std::unique_ptr<const text::Tokenizer> read(const std::filesystem::path& path) {
  if (path.extension() == ".json") return text::read_tokenizer_json(read_text(path, kMaxJsonBytes));
  return text::make_tokenizer(std::make_shared<const Vocabulary>(open_gguf(path)->metadata()));
}

}  // namespace

std::unique_ptr<const text::Tokenizer> load_tokenizer(const std::string& model) {
  const std::filesystem::path path = hub::resolve(model).path;
  try {
    return read(path);
  } catch (const Error& e) {
    const std::string what = e.what();
    if (what.starts_with(path.string())) throw;
    fail(e.code(), "{}: {}", path.string(), what);
  }
}

}  // namespace kelda::cli
