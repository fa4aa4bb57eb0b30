// A number as a calculator shows it: exact for programs, readable for people.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace kelda::cli {

struct Amount {
  nlohmann::ordered_json number;
  std::string text;  // empty: there is none
};

Amount count_of(uint64_t n);
// "23,040 bytes"; from a million on also "= 2.15 GB = 2.00 GiB", each labelled as what it is.
Amount bytes_of(uint64_t n);
// "16.15 ms"; the number is in milliseconds.
Amount ms_of(double seconds);
// Of five significant digits; the unit follows after a blank.
Amount number_of(double value, std::string_view unit = "");
Amount words_of(std::string_view text);

}  // namespace kelda::cli
