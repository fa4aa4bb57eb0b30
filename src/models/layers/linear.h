// A weight matrix with its bias, where it has one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "learned/tensor_list.h"
#include "learned/weights.h"
#include "ops/exec.h"
#include "ops/matmul.h"

namespace kelda::models {

enum class Bias { kNone, kAlways, kIfPresent };

class Linear {
 public:
  // blk.LAYER.WHAT.weight [rows, cols] and blk.LAYER.WHAT.bias [rows]. group: biases that are all there or
  // none is, where they are optional.
  static void tensors(int64_t layer, std::string_view what, int64_t rows, int64_t cols, Bias bias,
                      TensorList& t, std::string_view group = "");
  Linear() = default;
  Linear(const Weights& w, int64_t layer, std::string_view what);

  bool quantized() const { return weight_->format().quantized; }
  // y = W x, for several matrices with one input; then add_bias() of each.
  ops::MatmulItem item(Matrix<float> y) const { return {weight_, y}; }
  void add_bias(Exec& exec, Matrix<float> y) const;

  // y = W x + b.   x: taken into `input`, and left there.
  void forward(Exec& exec, Matrix<const float> x, ops::Activations& input, Matrix<float> y) const;

 private:
  const quant::PackedMatrix* weight_ = nullptr;
  std::span<const float> bias_;
};

}  // namespace kelda::models
