#include "ops/embed.h"

#include "base/check.h"

namespace kelda::ops {

void embed(Exec& x, const quant::PackedMatrix& table, std::span<const int32_t> tokens, Matrix<float> out) {
  KELDA_CHECK(out.rows == static_cast<int64_t>(tokens.size()) && out.cols == table.cols());
  for (const int32_t id : tokens) KELDA_CHECK(id >= 0 && id < table.rows());
  x.pool.run(out.rows,
             [&](int64_t i, int) { table.unpack_row(tokens[static_cast<std::size_t>(i)], out.row(i)); });
}

}  // namespace kelda::ops
