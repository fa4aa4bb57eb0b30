#include "files/safetensors_index.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/quote.h"
#include "files/gguf_layout.h"
#include "files/safetensors_header.h"
#include "files/safetensors_json.h"

namespace kelda::safetensors {
namespace {

constexpr std::string_view kMapKey = "weight_map";
constexpr std::string_view kSuffix = ".safetensors";

// Limits of what is passed over: deep nesting and long runs of words would pile up in the parser.
constexpr uint64_t kMaxSkippedDepth = 64;
constexpr uint64_t kMaxSkippedValues = 65536;

std::optional<std::string> file_name_fault(std::string_view name) {
  if (auto fault = gguf::name_fault(name, kMaxFileNameBytes)) return fault;
  if (name.find_first_of("/\\") != std::string_view::npos) {
    return fmt::format("{} has a path in it; allowed are names of files beside the index", quote(name));
  }
  if (!name.ends_with(kSuffix) || name.size() == kSuffix.size()) {
    return fmt::format("{} does not end in {}", quote(name), kSuffix);
  }
  return std::nullopt;
}

// What the next value is.
enum class Place { kStart, kTop, kSkipped, kMap, kTensor, kFileName, kEnd };

class Reader final : public JsonEvents {
 public:
  explicit Reader(const File& file) : file_(file) {}

  void open_object(uint64_t at) override {
    if (place_ == Place::kStart) {
      place_ = Place::kTop;
    } else if (place_ == Place::kMap) {
      place_ = Place::kTensor;
    } else {
      open(at, "an object");
    }
  }
  void close_object(uint64_t at) override {
    if (place_ == Place::kSkipped) {
      close(at);
    } else if (place_ == Place::kTensor) {
      place_ = Place::kTop;
    } else {
      place_ = Place::kEnd;
    }
  }
  void open_array(uint64_t at) override { open(at, "an array"); }
  void close_array(uint64_t at) override { close(at); }
  void key(uint64_t at, std::string name) override {
    if (place_ == Place::kSkipped) return;
    if (place_ == Place::kTensor) {
      tensor_key(at, std::move(name));
    } else if (name == kMapKey) {
      if (has_map_) refuse(file_, at, fmt::format("{} appears twice", quote(kMapKey)));
      has_map_ = true;
      place_ = Place::kMap;
    } else {
      place_ = Place::kSkipped;
    }
  }
  void text(uint64_t at, std::string value) override {
    if (place_ != Place::kFileName) {
      scalar(at, "text");
      return;
    }
    if (const auto fault = file_name_fault(value)) {
      refuse(file_, at,
             fmt::format("tensor {}: the file name {}", quote(index_.entries.back().tensor), *fault));
    }
    const auto [where, is_new] = files_.try_emplace(std::move(value), static_cast<uint32_t>(files_.size()));
    if (is_new && files_.size() > kMaxFiles) {
      refuse(file_, at, fmt::format("the index names more than {} files", kMaxFiles));
    }
    index_.entries.back().file = where->second;
    place_ = Place::kTensor;
  }
  void count(uint64_t at, uint64_t value) override { scalar(at, fmt::format("the number {}", value)); }
  void other(uint64_t at, std::string_view value) override { scalar(at, value); }

  // Sorts the files and the tensors.
  Index finish() {
    if (!has_map_) refuse(file_, file_.size(), fmt::format("the index lacks {}", quote(kMapKey)));
    if (files_.empty()) refuse(file_, file_.size(), fmt::format("{} names no file", quote(kMapKey)));
    std::vector<uint32_t> place_of(files_.size());
    for (const auto& [name, number] : files_) {
      place_of[number] = static_cast<uint32_t>(index_.files.size());
      index_.files.push_back(name);
    }
    for (Index::Entry& e : index_.entries) e.file = place_of[e.file];
    std::sort(index_.entries.begin(), index_.entries.end(), [](const auto& a, const auto& b) {
      return a.tensor != b.tensor ? a.tensor < b.tensor : a.at < b.at;
    });
    for (std::size_t i = 1; i < index_.entries.size(); ++i) {
      const Index::Entry& e = index_.entries[i];
      if (index_.entries[i - 1].tensor == e.tensor) {
        refuse(file_, e.at, fmt::format("tensor {} appears twice in {}", quote(e.tensor), quote(kMapKey)));
      }
    }
    return std::move(index_);
  }

 private:
  [[noreturn]] void unexpected(uint64_t at, std::string_view what) const {
    if (place_ == Place::kStart) {
      refuse(file_, at, fmt::format("the index is {}; an object is required", what));
    }
    if (place_ == Place::kMap) {
      refuse(file_, at, fmt::format("{} is {}; an object is required", quote(kMapKey), what));
    }
    refuse(file_, at,
           fmt::format("tensor {} has {} as its file; a file name is required",
                       quote(index_.entries.back().tensor), what));
  }

  void tensor_key(uint64_t at, std::string name) {
    if (const auto fault = gguf::name_fault(name, kMaxNameBytes)) {
      refuse(file_, at, fmt::format("the tensor name {}", *fault));
    }
    if (index_.entries.size() == gguf::kMaxTensors) {
      refuse(file_, at, fmt::format("{} has more than {} tensors", quote(kMapKey), gguf::kMaxTensors));
    }
    index_.entries.push_back({std::move(name), 0, at});
    place_ = Place::kFileName;
  }

  void open(uint64_t at, std::string_view what) {
    if (place_ != Place::kSkipped) unexpected(at, what);
    if (++depth_ > kMaxSkippedDepth) {
      refuse(file_, at, fmt::format("the index nests deeper than {} levels", kMaxSkippedDepth));
    }
  }
  void close(uint64_t at) {
    --depth_;
    skipped(at);
  }
  void scalar(uint64_t at, std::string_view what) {
    if (place_ != Place::kSkipped) unexpected(at, what);
    skipped(at);
  }
  void skipped(uint64_t at) {
    if (++n_skipped_ > kMaxSkippedValues) {
      refuse(file_, at,
             fmt::format("the index has more than {} values beside {}", kMaxSkippedValues, quote(kMapKey)));
    }
    if (depth_ == 0) place_ = Place::kTop;
  }

  const File& file_;
  Index index_;
  std::map<std::string, uint32_t> files_;  // by name, in the order of their first appearance
  Place place_ = Place::kStart;
  bool has_map_ = false;
  uint64_t depth_ = 0, n_skipped_ = 0;
};

}  // namespace

Index read_index(const File& file) {
  if (file.size() > kMaxIndexBytes) {
    fail(ErrorCode::kBadInput, "{}: the index has {} bytes; at most {} are allowed", file.path().string(),
         file.size(), kMaxIndexBytes);
  }
  Reader reader(file);
  parse_json(file, 0, file.size(), "the index", reader);
  return reader.finish();
}

}  // namespace kelda::safetensors
