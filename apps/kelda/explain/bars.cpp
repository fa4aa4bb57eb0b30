#include "apps/kelda/explain/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/kelda/terminal/style.h"
#include "apps/kelda/token_text.h"
#include "base/check.h"

namespace kelda::cli {
namespace {

constexpr std::string_view kWidths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
constexpr std::string_view kHeights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

}  // namespace

std::string bar(double share, int columns) {
  const auto eighths =
      std::clamp(static_cast<int>(std::lround(share * 8 * columns)), share > 0 ? 1 : 0, 8 * columns);
  std::string out;
  for (int i = 0; i < eighths / 8; ++i) out += "█";
  out += kWidths[eighths % 8];
  return out.append(static_cast<std::size_t>(columns - (eighths + 7) / 8), ' ');
}

const sampling::CandidateRecord& drawn_of(const sampling::DrawRecord& record) {
  const auto drawn = std::find_if(record.candidates.begin(), record.candidates.end(),
                                  [&](const auto& c) { return c.id == record.draw.id; });
  KELDA_CHECK(drawn != record.candidates.end());
  return *drawn;
}

std::string fate(const sampling::DrawRecord& record, const sampling::CandidateRecord& candidate) {
  if (candidate.id == record.draw.id) return "drawn";
  if (candidate.removed_by < 0) return {};
  return "cut by " + record.stages[static_cast<std::size_t>(candidate.removed_by)].name;
}

std::string distribution_line(const text::Tokenizer& tokenizer, const sampling::DrawRecord& record) {
  std::string columns;
  const std::size_t n = std::min<std::size_t>(kPictured, record.candidates.size());
  for (std::size_t i = 0; i < n; ++i) {
    const sampling::CandidateRecord& c = record.candidates[i];
    const std::string_view height = kHeights[std::min(7, static_cast<int>(c.p * 8))];
    if (c.removed_by < 0) {
      columns += height;
    } else {
      columns += has_color(Stream::kErr) ? paint(Stream::kErr, Color::kDim, height) : "·";
    }
  }
  const double mass = record.stages.empty() ? 1.0 : record.stages.back().mass_of_raw;
  return fmt::format("{:.4f}  {}  {} left with {:.4f}, {:.2f} bits  \"{}\"\n", drawn_of(record).p, columns,
                     record.draw.n_left, mass, record.raw_entropy, shown_piece(tokenizer, record.draw.id));
}

}  // namespace kelda::cli
