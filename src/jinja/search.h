// Finding a text in a text in linear time, whatever both are: the searches of the C++ library take time n × m
// for texts that are made for it.
#pragma once

#include <cstddef>
#include <string_view>

namespace kelda::jinja {

// As std::string_view::find and rfind.
std::size_t find_text(std::string_view all, std::string_view wanted, std::size_t from = 0);
std::size_t rfind_text(std::string_view all, std::string_view wanted);

}  // namespace kelda::jinja
