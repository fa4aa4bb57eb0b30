#include "quant/format.h"

#include "base/check.h"

namespace kelda::quant {

const FormatSpec* find_format(uint32_t gguf_type) {
  for (const FormatSpec* f : formats()) {
    if (f->gguf_type == gguf_type) return f;
  }
  return nullptr;
}

const FormatSpec* find_format(std::string_view name) {
  for (const FormatSpec* f : formats()) {
    if (f->name == name) return f;
  }
  return nullptr;
}

int64_t row_bytes(const FormatSpec& format, int64_t n) {
  KELDA_CHECK(n % format.block_size == 0);
  return n / format.block_size * format.block_bytes;
}

}  // namespace kelda::quant
