#include "files/gguf_writer.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_set>

#include "base/check.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/quote.h"
#include "files/gguf_layout.h"
#include "files/gguf_values.h"

namespace kelda {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// Hands finished parts of the header on, so that it is never in memory as a whole.
void flush(AtomicFile& file, std::string& header, std::size_t above) {
  if (header.size() <= above) return;
  file.write(header);
  header.clear();
  if (file.written() > gguf::kMaxHeaderBytes) {
    fail(ErrorCode::kBadInput, "the header has more than {} bytes", gguf::kMaxHeaderBytes);
  }
}

void check_counts(const Metadata& metadata, const std::vector<TensorInfo>& tensors) {
  if (metadata.items().size() > gguf::kMaxKeys) {
    fail(ErrorCode::kBadInput, "{} metadata keys; at most {} are allowed", metadata.items().size(),
         gguf::kMaxKeys);
  }
  if (tensors.size() > gguf::kMaxTensors) {
    fail(ErrorCode::kBadInput, "{} tensors; at most {} are allowed", tensors.size(), gguf::kMaxTensors);
  }
}

// Checks every tensor, works out its size and its offset from the start of the data.
void lay_out(std::vector<TensorInfo>& tensors, uint64_t alignment) {
  std::unordered_set<std::string_view> names;
  uint64_t next = 0;
  for (TensorInfo& t : tensors) {
    if (const auto fault = gguf::name_fault(t.name, gguf::kMaxTensorNameBytes)) {
      fail(ErrorCode::kBadInput, "the tensor name {}", *fault);
    }
    if (!names.insert(t.name).second) fail(ErrorCode::kBadInput, "tensor {} appears twice", quote(t.name));
    KELDA_CHECK(t.format != nullptr);
    t.gguf_type = t.format->gguf_type;
    t.file = 0;
    if (const auto fault = gguf::set_tensor_bytes(t))
      fail(ErrorCode::kBadInput, "tensor {} {}", quote(t.name), *fault);
    t.offset = next;
    const auto end = checked_add(next, t.bytes);
    const auto padded = end ? gguf::align_up(*end, alignment) : std::nullopt;
    constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) -
                           gguf::kMaxHeaderBytes - gguf::kMaxAlignment;
    if (!padded || *padded > kMost) {
      fail(ErrorCode::kBadInput, "tensor {} ends beyond 63 bits of file", quote(t.name));
    }
    next = *padded;
  }
}

}  // namespace

GgufWriter::GgufWriter(const std::filesystem::path& path, const Metadata& metadata,
                       std::vector<TensorInfo> tensors)
    : alignment_(gguf::alignment_of(metadata)), tensors_(std::move(tensors)), file_(path) {
  try {
    check_counts(metadata, tensors_);
    lay_out(tensors_, alignment_);
    write_header(metadata);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kBadInput) throw;
    fail(e.code(), "{} cannot be written: {}", path.string(), e.what());
  }
}

void GgufWriter::write_header(const Metadata& metadata) {
  std::string header(gguf::kMagic);
  gguf::append_number(header, gguf::kNewestVersion);
  gguf::append_number(header, static_cast<uint64_t>(tensors_.size()));
  gguf::append_number(header, static_cast<uint64_t>(metadata.items().size()));
  for (const auto& [key, value] : metadata.items()) {
    if (const auto fault = gguf::name_fault(key, gguf::kMaxKeyBytes))
      fail(ErrorCode::kBadInput, "the metadata key {}", *fault);
    gguf::append_text(header, key);
    gguf::append_value(header, value);
    flush(file_, header, kPieceBytes);
  }
  for (const TensorInfo& t : tensors_) {
    gguf::append_text(header, t.name);
    gguf::append_number(header, static_cast<uint32_t>(t.shape.size()));
    for (auto dim = t.shape.rbegin(); dim != t.shape.rend(); ++dim)
      gguf::append_number(header, static_cast<uint64_t>(*dim));
    gguf::append_number(header, t.gguf_type);
    gguf::append_number(header, t.offset);
    flush(file_, header, kPieceBytes);
  }
  flush(file_, header, 0);
  if (!tensors_.empty()) pad_to_alignment();
  for (TensorInfo& t : tensors_) t.offset += file_.written();
}

void GgufWriter::pad_to_alignment() {
  const auto end = gguf::align_up(file_.written(), alignment_);
  KELDA_CHECK(end.has_value());
  const std::string zeros(static_cast<std::size_t>(*end - file_.written()), '\0');
  file_.write(zeros);
}

void GgufWriter::append(std::span<const std::byte> data) {
  while (!data.empty()) {
    KELDA_CHECK(current_ < tensors_.size());  // more data than the tensors hold
    const TensorInfo& t = tensors_[current_];
    const auto n = static_cast<std::size_t>(std::min<uint64_t>(data.size(), t.bytes - filled_));
    file_.write(data.first(n));
    data = data.subspan(n);
    filled_ += n;
    if (filled_ == t.bytes) {
      pad_to_alignment();
      ++current_;
      filled_ = 0;
    }
  }
}

void GgufWriter::commit() {
  if (current_ < tensors_.size()) {
    fail(ErrorCode::kInternal, "data of tensor {} is missing: {} of {} bytes were written",
         quote(tensors_[current_].name), filled_, tensors_[current_].bytes);
  }
  file_.commit();
}

void write_gguf(const std::filesystem::path& path, const Metadata& metadata,
                const std::vector<TensorInfo>& tensors, const TensorSource& source) {
  GgufWriter writer(path, metadata, tensors);
  std::vector<std::byte> piece(kPieceBytes);
  for (std::size_t i = 0; i < writer.tensors().size(); ++i) {
    const uint64_t bytes = writer.tensors()[i].bytes;
    for (uint64_t first = 0; first < bytes; first += kPieceBytes) {
      const auto out =
          std::span(piece).first(static_cast<std::size_t>(std::min<uint64_t>(kPieceBytes, bytes - first)));
      source(i, first, out);
      writer.append(out);
    }
  }
  writer.commit();
}

}  // namespace kelda
