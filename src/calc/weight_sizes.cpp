#include "calc/weight_sizes.h"

#include <limits>

#include "calc/exact.h"
#include "calc/storage.h"

namespace kelda::calc {

WeightSize weight_size(int64_t n_parameters, int bits) {
  constexpr char kWhat[] = "the bytes of the weights";
  const uint64_t nominal = stored_bytes(kWhat, storage_of(2 * bits), n_parameters);
  if (bits == 16) return {bits, nominal, nominal};
  return {bits, nominal, stored_bytes(kWhat, {32, 4 * bits + 2}, n_parameters)};
}

int64_t decoder_parameters(const ModelConfig& c) {
  constexpr char kWhat[] = "the parameters";
  const uint64_t heads = product(kWhat, {2, c.head_dim, c.n_heads + c.n_kv_heads});
  const uint64_t columns = plus(kWhat, heads, product(kWhat, {3, c.intermediate_size}));
  const uint64_t blocks = times(kWhat, columns, product(kWhat, {c.n_layers, c.hidden_size}));
  const uint64_t all = plus(kWhat, blocks, product(kWhat, {c.vocab_size, c.hidden_size}));
  if (all > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) too_large(kWhat);
  return static_cast<int64_t>(all);
}

double code_step(int bits, double largest) {
  return largest / static_cast<double>((int64_t{1} << (bits - 1)) - 1);
}

}  // namespace kelda::calc
