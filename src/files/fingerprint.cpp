#include "files/fingerprint.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "base/sha256.h"

namespace kelda {
namespace {

// Values one after another, each so that no two sequences of values have the same bytes.
class Writer {
 public:
  void number(uint64_t x) { bytes(std::as_bytes(std::span(&x, 1))); }
  void text(std::string_view s) {
    number(s.size());
    bytes(std::as_bytes(std::span(s.data(), s.size())));
  }
  void bytes(std::span<const std::byte> b) { hash_.update(b); }

  template <typename T>
  void scalar(const T& x) {
    if constexpr (std::is_same_v<T, std::string>) {
      text(x);
    } else if constexpr (std::is_same_v<T, bool>) {
      number(x ? 1 : 0);
    } else {
      bytes(std::as_bytes(std::span(&x, 1)));
    }
  }
  void value(const MetadataValue& value) {
    text(value.type_name());
    std::visit(
        [this](const auto& v) {
          using T = std::remove_cvref_t<decltype(v)>;
          if constexpr (kIsVector<T>) {
            number(v.size());
            for (const auto& x : v) scalar<typename T::value_type>(x);
          } else {
            scalar(v);
          }
        },
        value.variant());
  }
  std::string hex() { return hash_.hex(); }

 private:
  Sha256 hash_;
};

void add_samples(const ModelFile& file, const TensorInfo& tensor, Writer& out) {
  const uint64_t n = std::min(kSampleBytes, tensor.bytes);
  std::vector<std::byte> sample(n);
  for (const uint64_t first : {uint64_t{0}, (tensor.bytes - n) / 2, tensor.bytes - n}) {
    file.read(tensor, first, sample);
    out.bytes(sample);
  }
}

}  // namespace

std::string fingerprint(const ModelFile& file) {
  Writer out;
  out.number(file.metadata().items().size());
  for (const auto& [key, value] : file.metadata().items()) {
    out.text(key);
    out.value(value);
  }
  out.number(file.tensors().size());
  for (const TensorInfo& tensor : file.tensors()) {
    out.text(tensor.name);
    out.number(tensor.shape.size());
    for (const int64_t n : tensor.shape) out.number(static_cast<uint64_t>(n));
    out.text(tensor.format->name);
    out.number(tensor.bytes);
    add_samples(file, tensor, out);
  }
  return out.hex();
}

}  // namespace kelda
