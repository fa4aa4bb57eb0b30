#include "files/model_file.h"

#include "base/quote.h"

namespace kelda {

int64_t TensorInfo::n_elements() const {
  int64_t n = 1;
  for (const int64_t dim : shape) n *= dim;
  return n;
}

std::string ModelFile::shown_name(std::string_view name) const { return quote(name); }

}  // namespace kelda
