#include "apps/kelda/output_file.h"

#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "files/gguf_parts.h"

namespace kelda::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPathBytes = 4096;  // of a path that a message shows

// By device and inode, links followed; false where one of the two is not there.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

[[noreturn]] void refuse(std::string_view flag, const std::string& output, std::string_view what) {
  fail(ErrorCode::kUsage, "{}: {} is {}, which would be lost; name another file", flag,
       quote(output, kPathBytes), what);
}

// Whether `file`, found in the folder of `model`, belongs to it.
bool belongs(const fs::path& file, const fs::path& model) {
  if (model.extension() == ".safetensors") return true;  // its settings lie beside it
  const auto one = gguf::parse_part_name(model.filename().string());
  const auto other = gguf::parse_part_name(file.filename().string());
  return one && other && one->set == other->set && one->count == other->count;
}

// Of what cannot be listed nothing can have been read either.
template <typename Iterator, typename Wanted>
bool any_is(const fs::path& output, const fs::path& folder, const Wanted& wanted) {
  std::error_code error;
  for (Iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (wanted(it->path()) && same_file(output, it->path())) return true;
  }
  return false;
}

bool is_of_model(const fs::path& output, const fs::path& model) {
  if (same_file(output, model)) return true;
  std::error_code error;
  if (fs::is_directory(model, error))
    return any_is<fs::recursive_directory_iterator>(output, model, [](const fs::path&) { return true; });
  const fs::path folder = model.has_parent_path() ? model.parent_path() : fs::path(".");
  return any_is<fs::directory_iterator>(output, folder,
                                        [&](const fs::path& file) { return belongs(file, model); });
}

}  // namespace

void refuse_to_overwrite(std::string_view flag, const std::string& output, const fs::path& model,
                         std::initializer_list<std::string> inputs) {
  if (output.empty()) return;
  for (const std::string& input : inputs) {
    if (same_file(output, input == "-" ? "/dev/stdin" : input)) refuse(flag, output, "a file that is read");
  }
  if (is_of_model(output, model)) refuse(flag, output, "a file of the model");
}

void require_writable(const std::string& output) { const AtomicFile made_and_removed(output); }

}  // namespace kelda::cli
