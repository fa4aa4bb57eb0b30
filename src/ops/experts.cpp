#include "ops/experts.h"

#include <algorithm>
#include <limits>

#include "base/math.h"
#include "ops/rows.h"

namespace kelda::ops {
namespace {

// NaN counts as smaller than all, so that the choice is always of distinct experts.
float rank_of(float logit) { return logit == logit ? logit : -std::numeric_limits<float>::infinity(); }

// The experts of one token: repeatedly the next in order of (logit falling, expert rising).
void choose(std::span<const float> logits, std::span<int32_t> chosen) {
  float previous = 0;
  int32_t last = -1;
  for (int32_t& c : chosen) {
    int32_t best = -1;
    for (int32_t e = 0; e < static_cast<int32_t>(logits.size()); ++e) {
      const float x = rank_of(logits[static_cast<std::size_t>(e)]);
      const bool behind = last < 0 || x < previous || (x == previous && e > last);
      if (behind && (best < 0 || x > rank_of(logits[static_cast<std::size_t>(best)]))) best = e;
    }
    c = last = best;
    previous = rank_of(logits[static_cast<std::size_t>(best)]);
  }
  std::sort(chosen.begin(), chosen.end());
}

void weigh(std::span<const float> logits, std::span<const int32_t> chosen, bool normalise,
           std::span<float> weights) {
  float largest = -std::numeric_limits<float>::infinity();
  for (const float x : logits) largest = std::max(largest, x);
  const auto p = [&](std::size_t e) { return exp2_f32((logits[e] - largest) * kLog2E); };
  float sum = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    weights[i] = p(static_cast<std::size_t>(chosen[i]));
    sum += weights[i];
  }
  if (!normalise) {
    sum = 0;
    for (std::size_t e = 0; e < logits.size(); ++e) sum += p(e);
  }
  for (float& w : weights) w /= sum;
}

// Gives every choice its row: experts ascending, tokens ascending within one.
void place_rows(int64_t n_experts, ExpertChoices& c) {
  c.first_row.assign(static_cast<std::size_t>(n_experts) + 1, 0);
  for (const int32_t e : c.expert) ++c.first_row[static_cast<std::size_t>(e) + 1];
  for (std::size_t e = 1; e < c.first_row.size(); ++e) c.first_row[e] += c.first_row[e - 1];
  for (std::size_t i = 0; i < c.expert.size(); ++i) {
    c.row[i] = c.first_row[static_cast<std::size_t>(c.expert[i])]++;
  }
  std::copy_backward(c.first_row.begin(), c.first_row.end() - 1, c.first_row.end());  // as before counting up
  c.first_row.front() = 0;
}

}  // namespace

void choose_experts(Exec& exec, Matrix<const float> logits, int64_t n_used, bool normalise,
                    ExpertChoices& choices) {
  KELDA_CHECK(n_used > 0 && n_used <= logits.cols);
  const auto used = static_cast<std::size_t>(n_used);
  const std::size_t n = static_cast<std::size_t>(logits.rows) * used;
  choices.n_used = n_used;
  choices.expert.resize(n);
  choices.weight.resize(n);
  choices.row.resize(n);
  const double unit_ns = static_cast<double>(logits.cols) * static_cast<double>(n_used + 4);
  for_pieces(exec, logits.rows, unit_ns, [&](int64_t first, int64_t count) {
    for (int64_t t = first; t < first + count; ++t) {
      const std::size_t at = static_cast<std::size_t>(t) * used;
      const std::span<int32_t> chosen = std::span(choices.expert).subspan(at, used);
      choose(logits.row_span(t), chosen);
      weigh(logits.row_span(t), chosen, normalise, std::span(choices.weight).subspan(at, used));
    }
  });
  place_rows(logits.cols, choices);
}

void gather_rows(Exec& exec, const ExpertChoices& choices, Matrix<const float> x, Matrix<float> out) {
  const int64_t used = choices.n_used;
  KELDA_CHECK(out.rows == x.rows * used && out.cols == x.cols);
  KELDA_CHECK(static_cast<int64_t>(choices.row.size()) == out.rows);
  for_pieces(exec, out.rows, 0.1 * static_cast<double>(x.cols), [&](int64_t first, int64_t count) {
    for (int64_t i = first; i < first + count; ++i) {
      std::copy_n(x.row(i / used), x.cols, out.row(choices.row[static_cast<std::size_t>(i)]));
    }
  });
}

void combine_rows(Exec& exec, const ExpertChoices& choices, Matrix<const float> y, Matrix<float> out) {
  const int64_t used = choices.n_used;
  KELDA_CHECK(y.rows == out.rows * used && out.cols == y.cols);
  KELDA_CHECK(static_cast<int64_t>(choices.row.size()) == y.rows);
  const double unit_ns = 0.1 * static_cast<double>(used * y.cols);
  for_pieces(exec, out.rows, unit_ns, [&](int64_t first, int64_t count) {
    for (int64_t t = first; t < first + count; ++t) {
      std::fill_n(out.row(t), out.cols, 0.0f);
      for (int64_t i = t * used; i < (t + 1) * used; ++i) {
        const auto choice = static_cast<std::size_t>(i);
        exec.kernels.add_scaled(out.row(t), y.row(choices.row[choice]), choices.weight[choice], out.cols);
      }
    }
  });
}

void add_gated_rows(Exec& exec, Matrix<float> x, Matrix<const float> y, Matrix<const float> gate) {
  KELDA_CHECK(x.rows == y.rows && x.cols == y.cols && gate.rows == x.rows && gate.cols == 1);
  for_pieces(exec, x.rows, 0.1 * static_cast<double>(x.cols), [&](int64_t first, int64_t count) {
    for (int64_t t = first; t < first + count; ++t) {
      const float open = 1.0f / (1.0f + exp2_f32(-gate.row(t)[0] * kLog2E));
      exec.kernels.add_scaled(x.row(t), y.row(t), open, x.cols);
    }
  });
}

}  // namespace kelda::ops
