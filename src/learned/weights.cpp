#include "learned/weights.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <set>

#include "base/check.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/quote.h"

namespace kelda {
namespace {

constexpr int64_t kPieceBytes = 2 << 20;  // read at a time by one thread

std::string display(const std::vector<int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

// A matrix of one row and a vector are the same numbers, and files have either.
std::vector<int64_t> without_leading_ones(std::vector<int64_t> shape) {
  const auto first = std::find_if(shape.begin(), shape.end() - 1, [](int64_t n) { return n != 1; });
  shape.erase(shape.begin(), first);
  return shape;
}

void check_spec(const ModelFile& file, const TensorSpec& spec) {
  const TensorInfo* t = file.find(spec.name);
  if (t == nullptr) {
    if (spec.optional || !spec.tied_to.empty()) return;
    fail(ErrorCode::kBadInput, "{}: tensor {} of shape {} is missing", file.path().string(),
         file.shown_name(spec.name), display(spec.shape));
  }
  if (without_leading_ones(t->shape) != without_leading_ones(spec.shape)) {
    fail(ErrorCode::kBadInput, "{}: tensor {} has shape {}, the model's metadata asks for {}",
         file.path().string(), file.shown_name(spec.name), display(t->shape), display(spec.shape));
  }
}

const quant::FormatSpec& packed_format(const TensorInfo& t, Compute compute) {
  return compute == Compute::kReference ? *quant::find_format(std::string_view("f32")) : *t.format;
}

void refuse_unknown_tensors(const ModelFile& file, const TensorList& list) {
  std::set<std::string_view> known;
  for (const TensorSpec& spec : list.specs()) known.insert(spec.name);
  for (const TensorInfo& t : file.tensors()) {
    if (known.count(t.name) == 0) {
      fail(ErrorCode::kBadInput,
           "{}: tensor {} is not part of this architecture as this build knows it; leaving it out would "
           "compute "
           "something else than the model",
           file.path().string(), file.shown_name(t.name));
    }
  }
}

// A piece of a matrix: row groups [first, first + count). The matrix begins at row `row` of its tensor.
struct Piece {
  const TensorInfo* tensor;
  quant::PackedMatrix* matrix;
  int64_t row;
  int64_t first, count;

  int64_t first_row() const { return first * quant::kLanes; }
  int64_t n_rows() const { return std::min(matrix->rows() - first_row(), count * quant::kLanes); }
};

int64_t n_matrices_of(const TensorSpec& spec) {
  return spec.kind == TensorSpec::Kind::kStack ? spec.shape[0] : 1;
}

// All of `matrix`, which is rows [row, row + matrix.rows()) of the tensor.
void add_pieces(const TensorInfo& t, quant::PackedMatrix& matrix, int64_t row, std::vector<Piece>& pieces) {
  const int64_t group_bytes = quant::row_bytes(*t.format, t.cols()) * quant::kLanes;
  const int64_t per_piece = std::max<int64_t>(1, kPieceBytes / group_bytes);
  for (int64_t g = 0; g < matrix.n_groups(); g += per_piece) {
    pieces.push_back({&t, &matrix, row, g, std::min(per_piece, matrix.n_groups() - g)});
  }
}

void load_piece(const ModelFile& file, const Piece& piece, std::vector<std::byte>& raw,
                std::vector<std::byte>& floats) {
  const TensorInfo& t = *piece.tensor;
  const int64_t n_rows = piece.n_rows();
  const int64_t row_bytes = quant::row_bytes(*t.format, t.cols());
  raw.resize(static_cast<std::size_t>(n_rows * row_bytes));
  file.read(t, static_cast<uint64_t>((piece.row + piece.first_row()) * row_bytes), raw);
  const std::byte* rows = raw.data();
  if (&piece.matrix->format() != t.format) {  // the reference path: through float32
    floats.resize(static_cast<std::size_t>(n_rows * t.cols()) * sizeof(float));
    t.format->dequantize(raw.data(), reinterpret_cast<float*>(floats.data()), n_rows * t.cols());
    rows = floats.data();
  }
  piece.matrix->pack_groups(piece.first, piece.count, rows);
}

std::vector<float> load_vector(const ModelFile& file, const TensorInfo& t) {
  std::vector<std::byte> raw(static_cast<std::size_t>(quant::row_bytes(*t.format, t.cols())));
  file.read(t, 0, raw);
  std::vector<float> values(static_cast<std::size_t>(t.cols()));
  t.format->dequantize(raw.data(), values.data(), t.cols());
  return values;
}

// Runs the pieces in batches over the pool, so that progress is told from the calling thread.
void load_pieces(const ModelFile& file, const std::vector<Piece>& pieces, ThreadPool& pool, uint64_t total,
                 const std::function<void(uint64_t, uint64_t)>& progress) {
  struct Scratch {
    std::vector<std::byte> raw, floats;
  };
  std::vector<Scratch> scratch(static_cast<std::size_t>(pool.n_threads()));
  std::exception_ptr error;
  std::mutex mutex;
  const auto per_batch = 8 * static_cast<std::size_t>(pool.n_threads());
  uint64_t done = 0;
  for (std::size_t at = 0; at < pieces.size(); at += per_batch) {
    const std::size_t n = std::min(per_batch, pieces.size() - at);
    pool.run(static_cast<int64_t>(n), [&](int64_t i, int thread) {
      Scratch& s = scratch[static_cast<std::size_t>(thread)];
      try {
        load_piece(file, pieces[at + static_cast<std::size_t>(i)], s.raw, s.floats);
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = std::current_exception();
      }
    });
    if (error) std::rethrow_exception(error);
    for (std::size_t i = at; i < at + n; ++i) {
      const TensorInfo& t = *pieces[i].tensor;
      done += static_cast<uint64_t>(pieces[i].n_rows() * quant::row_bytes(*t.format, t.cols()));
    }
    if (progress) progress(done, total);
  }
}

void refuse_broken_groups(const ModelFile& file, const TensorList& list) {
  std::map<std::string_view, const TensorSpec*> first;
  for (const TensorSpec& spec : list.specs()) {
    if (spec.group.empty()) continue;
    const TensorSpec& other = *first.emplace(spec.group, &spec).first->second;
    const bool is_there = file.find(spec.name) != nullptr;
    if (is_there == (file.find(other.name) != nullptr)) continue;
    const auto& [has, lacks] = is_there ? std::pair(&spec, &other) : std::pair(&other, &spec);
    fail(ErrorCode::kBadInput, "{}: tensor {} is missing, though {} is there", file.path().string(),
         file.shown_name(lacks->name), file.shown_name(has->name));
  }
}

}  // namespace

void check_tensors(const ModelFile& file, const TensorList& list) {
  for (const TensorSpec& spec : list.specs()) check_spec(file, spec);
  refuse_broken_groups(file, list);
  refuse_unknown_tensors(file, list);
}

uint64_t packed_bytes(const ModelFile& file, const TensorList& list, Compute compute) {
  uint64_t bytes = 0;
  for (const TensorSpec& spec : list.specs()) {
    const TensorInfo* t = file.find(spec.name);
    if (t == nullptr) continue;
    if (spec.kind == TensorSpec::Kind::kVector) {
      bytes += static_cast<uint64_t>(t->n_elements()) * sizeof(float);
      continue;
    }
    const quant::FormatSpec& format = packed_format(*t, compute);
    const int64_t n_matrices = n_matrices_of(spec), rows = t->rows() / n_matrices;
    bytes += static_cast<uint64_t>(n_matrices * ceil_div(rows, quant::kLanes) *
                                   ceil_div(t->cols(), format.unit_k) * format.unit_bytes);
  }
  return bytes;
}

Weights load_weights(const ModelFile& file, const TensorList& list, Compute compute, ThreadPool& pool,
                     const std::function<void(uint64_t, uint64_t)>& progress) {
  check_tensors(file, list);
  Weights weights;
  std::vector<Piece> pieces;
  uint64_t total = 0;
  for (const TensorSpec& spec : list.specs()) {
    const TensorInfo* t = file.find(spec.name);
    if (t == nullptr) {
      if (!spec.tied_to.empty()) weights.tied_[spec.name] = spec.tied_to;
      continue;
    }
    if (spec.kind == TensorSpec::Kind::kVector) {
      weights.vectors_[spec.name] = load_vector(file, *t);
      continue;
    }
    const int64_t n_matrices = n_matrices_of(spec), rows = t->rows() / n_matrices;
    const quant::FormatSpec& format = packed_format(*t, compute);
    if (spec.kind == TensorSpec::Kind::kMatrix) {
      auto& matrix = weights.matrices_[spec.name] = quant::PackedMatrix(format, rows, t->cols());
      add_pieces(*t, matrix, 0, pieces);
    } else {
      auto& stack = weights.stacks_[spec.name];
      for (int64_t i = 0; i < n_matrices; ++i) stack.emplace_back(format, rows, t->cols());
      for (int64_t i = 0; i < n_matrices; ++i)
        add_pieces(*t, stack[static_cast<std::size_t>(i)], i * rows, pieces);
    }
    total += t->bytes;
  }
  load_pieces(file, pieces, pool, total, progress);
  return weights;
}

const quant::PackedMatrix& Weights::matrix(std::string_view name) const {
  auto it = matrices_.find(name);
  if (it == matrices_.end()) {
    const auto tied = tied_.find(name);
    KELDA_CHECK(tied != tied_.end());
    it = matrices_.find(tied->second);
  }
  KELDA_CHECK(it != matrices_.end());
  return it->second;
}

std::span<const quant::PackedMatrix> Weights::stack(std::string_view name) const {
  const auto it = stacks_.find(name);
  KELDA_CHECK(it != stacks_.end());
  return it->second;
}

std::span<const float> Weights::vector(std::string_view name) const {
  const auto it = vectors_.find(name);
  KELDA_CHECK(it != vectors_.end());
  return it->second;
}

bool Weights::has(std::string_view name) const {
  return matrices_.count(name) + stacks_.count(name) + vectors_.count(name) != 0;
}

uint64_t Weights::bytes() const {
  uint64_t bytes = 0;
  for (const auto& [name, m] : matrices_) bytes += m.bytes();
  for (const auto& [name, stack] : stacks_) {
    for (const auto& m : stack) bytes += m.bytes();
  }
  for (const auto& [name, v] : vectors_) bytes += v.size() * sizeof(float);
  return bytes;
}

std::vector<std::string_view> Weights::formats() const {
  std::set<std::string_view> names;
  for (const auto& [name, m] : matrices_) names.insert(m.format().name);
  for (const auto& [name, stack] : stacks_) {
    for (const auto& m : stack) names.insert(m.format().name);
  }
  return {names.begin(), names.end()};
}

}  // namespace kelda
