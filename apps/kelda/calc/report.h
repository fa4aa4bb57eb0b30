// What a calculator says: as a table for people or as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/kelda/calc/amount.h"

namespace kelda::cli {

class Report {
 public:
  Report(std::string_view calculator, std::vector<std::string> formulas);

  // Keys are paths of names below "given", "result" and "measured": "/formats/f16/token_bytes".
  void given(std::string_view key, std::string_view label, const Amount& value);
  void result(std::string_view key, std::string_view label, const Amount& computed,
              const Amount& measured = {});
  void measured(std::string_view key, std::string_view label, const Amount& value);
  // A line over the rows that follow.
  void heading(std::string_view text);
  void note(const std::string& text);

  std::string text() const;
  nlohmann::ordered_json json() const;
  // One of the two, to stdout.
  void print(bool as_json) const;

 private:
  struct Row {
    std::string label;  // a heading where the other two are empty
    std::string computed, measured;
  };
  nlohmann::ordered_json json_;
  std::vector<std::string> formulas_, notes_;
  std::vector<Row> given_, rows_;
};

}  // namespace kelda::cli
