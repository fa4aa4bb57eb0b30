#include "files/model_file.h"

namespace kelda {

int64_t TensorInfo::n_elements() const {
  int64_t n = 1;
  for (const int64_t dim : shape) n *= dim;
  return n;
}

}  // namespace kelda
