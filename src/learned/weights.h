// The parameters of one model, packed for the kernels. LEARNED: loaded once, const, shared by everything that
// runs.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/thread_pool.h"
#include "files/model_file.h"
#include "learned/tensor_list.h"
#include "quant/packed_matrix.h"
#include "tensor/buffer.h"

namespace kelda {

// kAuto keeps each matrix in its file's format; kReference dequantises everything to float32 (the readable
// arithmetic that the fast path is measured against; four to eight times the memory).
enum class Compute { kAuto, kReference };

class Weights {
 public:
  // The tensor must be in the list that was loaded (KELDA_CHECK). A tied tensor answers with the one it is
  // tied to.
  const quant::PackedMatrix& matrix(std::string_view name) const;
  std::span<const quant::PackedMatrix> stack(std::string_view name) const;
  std::span<const float> vector(std::string_view name) const;
  bool has(std::string_view name) const;

  uint64_t bytes() const;  // packed matrices and vectors, tied ones once
  // The names of the formats in use, sorted: {"f32", "q4_1", "q8_0"}.
  std::vector<std::string_view> formats() const;

 private:
  friend Weights load_weights(const ModelFile&, const TensorList&, Compute, ThreadPool&,
                              const std::function<void(uint64_t, uint64_t)>&);
  std::map<std::string, quant::PackedMatrix, std::less<>> matrices_;
  std::map<std::string, std::vector<quant::PackedMatrix>, std::less<>> stacks_;
  std::map<std::string, std::vector<float>, std::less<>> vectors_;
  std::map<std::string, std::string, std::less<>> tied_;
};

// Checks every tensor's presence and shape against the list, and refuses tensors that the list does not know
// (they would be silently left out of the computation). Throws kBadInput naming the tensor.
void check_tensors(const ModelFile& file, const TensorList& list);

// Bytes that load_weights() will keep for this file. The tensors have been checked.
uint64_t packed_bytes(const ModelFile& file, const TensorList& list, Compute compute);

// check_tensors(), then reads and packs in parallel; a matrix never exists twice in memory.
// progress(done, total) in bytes of the file, from the calling thread. Throws kBadInput, kIo.
Weights load_weights(const ModelFile& file, const TensorList& list, Compute compute, ThreadPool& pool,
                     const std::function<void(uint64_t done, uint64_t total)>& progress);

}  // namespace kelda
