#include "apps/kelda/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/kelda/html.h"
#include "apps/kelda/terminal/style.h"

namespace kelda::cli {
namespace {

// Of the 256 colours that terminals have, from red over yellow to green.
constexpr std::array kColours = {160, 166, 172, 178, 142, 106, 70, 34};

std::string painted(const std::string& words, double share) {
  const auto last = static_cast<double>(kColours.size() - 1);
  const auto i = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * last));
  return fmt::format("\x1b[30;48;5;{}m{}\x1b[0m", kColours[i], words);
}

std::size_t width_of_column(const HeatMap& map, std::size_t column) {
  std::size_t width = map.columns[column].size();
  for (const auto& row : map.cells) width = std::max(width, row[column].words.size());
  return width;
}

}  // namespace

std::string heat_map_text(const HeatMap& map, bool colour) {
  std::size_t first = map.corner.size();
  for (const std::string& row : map.rows) first = std::max(first, row.size());
  std::string text = map.title + "\n";
  for (const std::string& note : map.notes) text += note + "\n";
  text += fmt::format("\n{:>{}}", map.corner, first);
  for (std::size_t j = 0; j < map.columns.size(); ++j)
    text += fmt::format("  {:^{}}", map.columns[j], width_of_column(map, j));
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    text += fmt::format("\n{:>{}}", map.rows[i], first);
    for (std::size_t j = 0; j < map.columns.size(); ++j) {
      const HeatMap::Cell& cell = map.cells[i][j];
      const std::string words = fmt::format("{:>{}}", cell.words, width_of_column(map, j));
      text += "  " + (colour ? painted(words, cell.share) : words);
    }
  }
  return text + "\n";
}

std::string heat_map_html(const HeatMap& map) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n<style>\n"
      "body {{ font: 15px sans-serif; margin: 2em; }}\ntable {{ border-spacing: 3px; }}\n"
      "td, th {{ padding: .5em .8em; text-align: right; font-variant-numeric: tabular-nums; }}\n"
      "</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      html(map.title));
  for (const std::string& note : map.notes) page += fmt::format("<p>{}</p>\n", html(note));
  page += fmt::format("<table>\n<tr><th>{}</th>", html(map.corner));
  for (const std::string& column : map.columns) page += fmt::format("<th>{}</th>", html(column));
  page += "</tr>\n";
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    page += fmt::format("<tr><th>{}</th>", html(map.rows[i]));
    for (const HeatMap::Cell& cell : map.cells[i]) {
      page += fmt::format("<td style=\"background: hsl({:.0f} 70% 60%)\">{}</td>",
                          120 * std::clamp(cell.share, 0.0, 1.0), html(cell.words));
    }
    page += "</tr>\n";
  }
  return page + "</table>\n</body>\n</html>\n";
}

}  // namespace kelda::cli
