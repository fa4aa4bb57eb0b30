// Shares in rows and columns, drawn for people: on a terminal, and as a page.
#pragma once

#include <string>
#include <vector>

namespace kelda::cli {

struct HeatMap {
  std::string title;
  std::vector<std::string> notes;  // a line each
  std::string corner;              // what rows and columns are
  std::vector<std::string> rows, columns;
  struct Cell {
    double share = 0;   // in [0, 1]: the colour
    std::string words;  // ASCII
  };
  std::vector<std::vector<Cell>> cells;  // [row][column]
};

// Lines for a terminal; with colour, cells go from red (0) over yellow to green (1).
std::string heat_map_text(const HeatMap& map, bool colour);
// A page of its own, which loads nothing.
std::string heat_map_html(const HeatMap& map);

}  // namespace kelda::cli
