#include "apps/kelda/calc/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/kelda/generation.h"

namespace kelda::cli {
namespace {

using Json = nlohmann::ordered_json;

// Display width of UTF-8 text without wide characters: its code points.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t to) {
  return std::string(text) + std::string(to - std::min(to, width(text)), ' ');
}

// Every part of a key is a name, digits too: a JSON pointer would make arrays of those.
void put(Json& where, std::string_view key, const Amount& amount) {
  Json* node = &where;
  while (!key.empty()) {
    key.remove_prefix(1);  // the slash
    const std::size_t end = std::min(key.find('/'), key.size());
    node = &(*node)[std::string(key.substr(0, end))];
    key.remove_prefix(end);
  }
  *node = amount.number;
}

}  // namespace

Report::Report(std::string_view calculator, std::vector<std::string> formulas)
    : formulas_(std::move(formulas)) {
  json_ = {{"calculator", calculator}, {"formulas", formulas_},      {"given", Json::object()},
           {"result", Json::object()}, {"measured", Json::object()}, {"notes", Json::array()}};
}

void Report::given(std::string_view key, std::string_view label, const Amount& value) {
  put(json_["given"], key, value);
  given_.push_back({std::string(label), value.text, ""});
}

void Report::result(std::string_view key, std::string_view label, const Amount& computed,
                    const Amount& measured) {
  put(json_["result"], key, computed);
  if (!measured.text.empty()) put(json_["measured"], key, measured);
  rows_.push_back({std::string(label), computed.text, measured.text});
}

void Report::measured(std::string_view key, std::string_view label, const Amount& value) {
  put(json_["measured"], key, value);
  rows_.push_back({std::string(label), "", value.text});
}

void Report::heading(std::string_view text) { rows_.push_back({std::string(text), "", ""}); }

void Report::note(const std::string& text) {
  json_["notes"].push_back(text);
  notes_.push_back(text);
}

std::string Report::text() const {
  std::string out;
  for (const std::string& formula : formulas_) out += formula + "\n";
  std::size_t labels = 0, computed = std::string_view("computed").size();
  bool any_measured = false;
  for (const Row& row : given_) labels = std::max(labels, width(row.label));
  for (const Row& row : rows_) {
    if (row.computed.empty() && row.measured.empty()) continue;
    labels = std::max(labels, width(row.label));
    computed = std::max(computed, width(row.computed));
    any_measured |= !row.measured.empty();
  }
  out += "\nGiven\n";
  for (const Row& row : given_) out += fmt::format("  {}  {}\n", padded(row.label, labels), row.computed);
  if (any_measured)
    out += fmt::format("\n  {}  {}  measured\n", padded("", labels), padded("computed", computed));
  if (!any_measured) out += "\n";
  for (const Row& row : rows_) {
    if (row.computed.empty() && row.measured.empty()) {
      out += row.label + "\n";
    } else {
      std::string line = fmt::format("  {}  {}", padded(row.label, labels), row.computed);
      if (!row.measured.empty())
        line = fmt::format("{}  {}", padded(line, 2 + labels + 2 + computed), row.measured);
      out += line + "\n";
    }
  }
  if (!notes_.empty()) out += "\n";
  for (const std::string& note : notes_) out += "Note: " + note + "\n";
  return out;
}

nlohmann::ordered_json Report::json() const { return json_; }

void Report::print(bool as_json) const {
  write_out(as_json ? json_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : text());
}

}  // namespace kelda::cli
