// The JSON is read front to back once, each tensor checked by itself as it ends; then all against each other.
#include "files/safetensors_header.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "base/error.h"
#include "base/quote.h"
#include "files/foreign_format.h"
#include "files/gguf_layout.h"
#include "files/safetensors_json.h"
#include "files/safetensors_layout.h"

namespace kelda::safetensors {
namespace {

constexpr uint64_t kLengthBytes = sizeof(uint64_t);
constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());

// What the next value is.
enum class Place {
  kStart,        // the header's object
  kTop,          // a tensor's name or __metadata__
  kMetadata,     // its object
  kMetadataKey,  // a key of it
  kMetadataText,
  kTensor,      // a tensor's object
  kTensorKey,   // a field of it
  kDtype,       // text
  kShape,       // array
  kShapeItem,   // count
  kOffsets,     // array
  kOffsetItem,  // count
  kEnd,
};

class Reader final : public JsonEvents {
 public:
  Reader(const File& file, uint64_t data_begin) : file_(file), data_begin_(data_begin) {}

  void open_object(uint64_t at) override {
    switch (place_) {
      case Place::kStart:
        place_ = Place::kTop;
        return;
      case Place::kMetadata:
        place_ = Place::kMetadataKey;
        return;
      case Place::kTensor:
        place_ = Place::kTensorKey;
        return;
      default:
        unexpected(at, "an object");
    }
  }
  void close_object(uint64_t at) override {
    if (place_ == Place::kTensorKey) finish_tensor(at);
    place_ = place_ == Place::kTop ? Place::kEnd : Place::kTop;
  }
  void open_array(uint64_t at) override {
    if (place_ == Place::kShape) {
      place_ = Place::kShapeItem;
    } else if (place_ == Place::kOffsets) {
      place_ = Place::kOffsetItem;
    } else {
      unexpected(at, "an array");
    }
  }
  void close_array(uint64_t at) override {
    if (place_ == Place::kOffsetItem && n_offsets_ != 2) {
      refuse_tensor(at, fmt::format("has {} \"data_offsets\"; 2 are required", n_offsets_));
    }
    place_ = Place::kTensorKey;
  }
  void key(uint64_t at, std::string name) override {
    if (place_ == Place::kTop) {
      top_key(at, std::move(name));
    } else if (place_ == Place::kMetadataKey) {
      metadata_key_ = std::move(name);
      place_ = Place::kMetadataText;
    } else {
      tensor_key(at, name);
    }
  }
  void text(uint64_t at, std::string value) override {
    if (place_ == Place::kMetadataText) {
      add_metadata(at, value);
    } else if (place_ == Place::kDtype) {
      set_dtype(std::move(value));
    } else {
      unexpected(at, "text");
    }
  }
  void count(uint64_t at, uint64_t value) override {
    if (place_ == Place::kShapeItem) {
      add_dim(at, value);
    } else if (place_ == Place::kOffsetItem) {
      if (n_offsets_ == 2) refuse_tensor(at, "has more than 2 \"data_offsets\"");
      offsets_[n_offsets_++] = value;
    } else {
      unexpected(at, fmt::format("the number {}", value));
    }
  }
  void other(uint64_t at, std::string_view value) override { unexpected(at, value); }

  // Sorts the tensors, and makes their offsets those of the file.
  Header finish() {
    check_tensors(file_, data_begin_, header_.tensors, name_at_);
    for (StoredTensor& t : header_.tensors) t.offset += data_begin_;
    std::sort(header_.tensors.begin(), header_.tensors.end(),
              [](const StoredTensor& a, const StoredTensor& b) { return a.name < b.name; });
    return std::move(header_);
  }

 private:
  enum Field : uint32_t { kHasDtype = 1, kHasShape = 2, kHasOffsets = 4, kHasAll = 7 };

  [[noreturn]] void refuse_tensor(uint64_t at, std::string_view message) const {
    refuse(file_, at, fmt::format("tensor {} {}", quote(tensor_.name), message));
  }

  [[noreturn]] void unexpected(uint64_t at, std::string_view what) const {
    constexpr std::string_view kCounts = "whole numbers from 0 to 2^63 - 1 are required";
    const std::string metadata = quote(kMetadataKey);
    switch (place_) {
      case Place::kStart:
        refuse(file_, at, fmt::format("the header is {}; an object is required", what));
      case Place::kMetadata:
        refuse(file_, at, fmt::format("{} is {}; an object of strings is required", metadata, what));
      case Place::kMetadataText:
        refuse(file_, at,
               fmt::format("{} of {} is {}; text is required", quote(metadata_key_), metadata, what));
      case Place::kDtype:
        refuse_tensor(at, fmt::format("has {} as its \"dtype\"; text is required", what));
      case Place::kShape:
      case Place::kOffsets:
        refuse_tensor(at, fmt::format("has {} as its {}; an array is required", what, field()));
      case Place::kShapeItem:
      case Place::kOffsetItem:
        refuse_tensor(at, fmt::format("has {} in its {}; {}", what, field(), kCounts));
      default:
        refuse_tensor(at, fmt::format("is {}; an object is required", what));
    }
  }
  std::string_view field() const {
    return place_ == Place::kShape || place_ == Place::kShapeItem ? "\"shape\"" : "\"data_offsets\"";
  }

  void top_key(uint64_t at, std::string name) {
    if (name == kMetadataKey) {
      if (has_metadata_) refuse(file_, at, fmt::format("{} appears twice", quote(name)));
      has_metadata_ = true;
      place_ = Place::kMetadata;
      return;
    }
    if (const auto fault = gguf::name_fault(name, kMaxNameBytes)) {
      refuse(file_, at, fmt::format("the tensor name {}", *fault));
    }
    if (header_.tensors.size() == gguf::kMaxTensors) {
      refuse(file_, at, fmt::format("the header has more than {} tensors", gguf::kMaxTensors));
    }
    tensor_ = StoredTensor{};
    tensor_.name = std::move(name);
    name_at_.push_back(static_cast<uint32_t>(at));
    fields_ = 0;
    n_offsets_ = 0;
    place_ = Place::kTensor;
  }

  void tensor_key(uint64_t at, std::string_view name) {
    struct Row {
      std::string_view name;
      Field field;
      Place next;
    };
    static constexpr std::array<Row, 3> kRows = {{{"dtype", kHasDtype, Place::kDtype},
                                                  {"shape", kHasShape, Place::kShape},
                                                  {"data_offsets", kHasOffsets, Place::kOffsets}}};
    for (const Row& row : kRows) {
      if (name != row.name) continue;
      if ((fields_ & row.field) != 0) refuse_tensor(at, fmt::format("has {} twice", quote(name)));
      fields_ |= row.field;
      field_at_ = at;
      place_ = row.next;
      return;
    }
    refuse_tensor(at, fmt::format("has a field {}; allowed are \"dtype\", \"shape\" and \"data_offsets\"",
                                  quote(name)));
  }

  void add_metadata(uint64_t at, const std::string& value) {
    if (header_.metadata.size() == kMaxMetadataKeys) {
      refuse(file_, at, fmt::format("{} has more than {} keys", quote(kMetadataKey), kMaxMetadataKeys));
    }
    if (!header_.metadata.try_emplace(metadata_key_, value).second) {
      refuse(file_, at, fmt::format("{} appears twice in {}", quote(metadata_key_), quote(kMetadataKey)));
    }
    place_ = Place::kMetadataKey;
  }

  void set_dtype(std::string value) {
    if (!dtype_bits(value)) {
      fail(ErrorCode::kUnsupported, "{}: byte {}: tensor {} is of dtype {}; the format defines {}",
           file_.path().string(), field_at_, quote(tensor_.name), quote(value, 40), known_dtypes());
    }
    tensor_.dtype = std::move(value);
    place_ = Place::kTensorKey;
  }

  void add_dim(uint64_t at, uint64_t value) {
    if (tensor_.shape.size() == kMaxDims) {
      refuse_tensor(at, fmt::format("has more than {} dimensions", kMaxDims));
    }
    if (value > kMost) unexpected(at, fmt::format("the number {}", value));
    tensor_.shape.push_back(static_cast<int64_t>(value));
  }

  void finish_tensor(uint64_t at) {
    if (fields_ != kHasAll) {
      const bool dtype = (fields_ & kHasDtype) != 0, shape = (fields_ & kHasShape) != 0;
      refuse_tensor(at, fmt::format("lacks \"{}\"", !dtype ? "dtype" : !shape ? "shape" : "data_offsets"));
    }
    const uint64_t name_at = name_at_.back();
    const auto [begin, end] = offsets_;
    if (begin > end) {
      refuse_tensor(name_at, fmt::format("ends at offset {}, before it begins at {}", end, begin));
    }
    if (end > file_.size() - data_begin_) {
      refuse_tensor(name_at, fmt::format("ends at offset {} of the data, which has {} bytes", end,
                                         file_.size() - data_begin_));
    }
    if (const auto fault = set_tensor_bytes(tensor_)) refuse_tensor(name_at, *fault);
    if (tensor_.bytes != end - begin) {
      refuse_tensor(name_at, fmt::format("of dtype {} and shape [{}] has {} bytes, but offsets {} to {}, "
                                         "which are {}",
                                         tensor_.dtype, fmt::join(tensor_.shape, ", "), tensor_.bytes, begin,
                                         end, end - begin));
    }
    tensor_.offset = begin;
    tensor_.shape.shrink_to_fit();
    header_.tensors.push_back(std::move(tensor_));
  }

  const File& file_;
  const uint64_t data_begin_;
  Header header_;
  std::vector<uint32_t> name_at_;  // of each tensor, where its name is in the file
  Place place_ = Place::kStart;
  bool has_metadata_ = false;
  std::string metadata_key_;
  StoredTensor tensor_;  // the one being read
  uint32_t fields_ = 0;  // those that it has
  uint64_t field_at_ = 0;
  std::array<uint64_t, 2> offsets_{};
  std::size_t n_offsets_ = 0;
};

uint64_t read_length(const File& file) {
  if (file.size() < kLengthBytes) {
    refuse(file, file.size(),
           fmt::format("is not a safetensors file: it has {} bytes, fewer than the {} of "
                       "the header's length",
                       file.size(), kLengthBytes));
  }
  uint64_t length = 0;
  file.read(0, std::as_writable_bytes(std::span(&length, 1)));
  const std::string_view start(reinterpret_cast<const char*>(&length), 4);
  if (length > kMaxHeaderBytes) {
    const std::string_view other = foreign_format(start);
    refuse(file, 0,
           fmt::format("the header's length is {}; at most {} are allowed{}{}", length, kMaxHeaderBytes,
                       other.empty() ? "" : ": it starts as ", other));
  }
  if (length > file.size() - kLengthBytes) {
    refuse(file, 0,
           fmt::format("the header's length is {}, but only {} bytes are left in the file", length,
                       file.size() - kLengthBytes));
  }
  if (length < 2) refuse(file, 0, fmt::format("the header's length is {}; at least 2 are needed", length));
  return length;
}

}  // namespace

Header read_header(const File& file) {
  const uint64_t data_begin = kLengthBytes + read_length(file);
  char first = 0;
  file.read(kLengthBytes, std::as_writable_bytes(std::span(&first, 1)));
  if (first != '{') {
    refuse(file, kLengthBytes,
           fmt::format("the header begins with {}, not with \"{{\"", quote(std::string_view(&first, 1))));
  }
  Reader reader(file, data_begin);
  parse_json(file, kLengthBytes, data_begin, "the header", reader);
  return reader.finish();
}

}  // namespace kelda::safetensors
