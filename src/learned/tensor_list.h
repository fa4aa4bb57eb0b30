// Which tensors an architecture is made of, declared once by its family. Loader, `kelda inspect` and the
// writers read it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace kelda {

struct TensorSpec {
  // A matrix is multiplied with (packed), and a stack is several of one shape; a vector is kept as floats.
  enum class Kind { kMatrix, kStack, kVector };
  std::string name;  // GGUF's: "blk.0.attn_q.weight"
  Kind kind;
  std::vector<int64_t> shape;  // row-major: {rows, cols}, {n_matrices, rows, cols} or {n}
  bool optional = false;
  std::string tied_to;     // if absent, this other tensor takes its place
  std::string group = {};  // of optional ones: all of a group are there, or none is
};

class TensorList {
 public:
  void matrix(std::string_view name, int64_t rows, int64_t cols) {
    specs_.push_back({std::string(name), TensorSpec::Kind::kMatrix, {rows, cols}, false, ""});
  }
  void stack(std::string_view name, int64_t n_matrices, int64_t rows, int64_t cols) {
    specs_.push_back({std::string(name), TensorSpec::Kind::kStack, {n_matrices, rows, cols}, false, ""});
  }
  void vector(std::string_view name, int64_t n) {
    specs_.push_back({std::string(name), TensorSpec::Kind::kVector, {n}, false, ""});
  }
  void optional_vector(std::string_view name, int64_t n, std::string_view group = "") {
    specs_.push_back({std::string(name), TensorSpec::Kind::kVector, {n}, true, "", std::string(group)});
  }
  void tied_matrix(std::string_view name, std::string_view other, int64_t rows, int64_t cols) {
    specs_.push_back({std::string(name), TensorSpec::Kind::kMatrix, {rows, cols}, false, std::string(other)});
  }
  const std::vector<TensorSpec>& specs() const { return specs_; }

 private:
  std::vector<TensorSpec> specs_;
};

// "blk.3.attn_q", which has a ".weight" and perhaps a ".bias".
inline std::string block_part(int64_t layer, std::string_view what) {
  return "blk." + std::to_string(layer) + "." + std::string(what);
}
// "blk.3.attn_q.weight"
inline std::string block_tensor(int64_t layer, std::string_view what, std::string_view kind = "weight") {
  return block_part(layer, what) + "." + std::string(kind);
}

}  // namespace kelda
