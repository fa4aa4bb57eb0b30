#include "apps/kelda/metadata_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/parse_number.h"

namespace kelda::cli {
namespace {

template <typename T>
nlohmann::json item_json(const T& item) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(item)) return "NaN";
    if (std::isinf(item)) return item > 0 ? "Infinity" : "-Infinity";
    return parse_number<double>(fmt::format("{}", item)).value();  // 1e-05, not 9.99999974737875e-06
  } else {
    return item;
  }
}

}  // namespace

nlohmann::json metadata_json(const MetadataValue& value, std::size_t max_items) {
  return std::visit(
      [&](const auto& v) -> nlohmann::json {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (kIsVector<T>) {
          nlohmann::json list = nlohmann::json::array();
          const std::size_t n = std::min(v.size(), max_items);
          for (std::size_t i = 0; i < n; ++i) list.push_back(item_json<typename T::value_type>(v[i]));
          if (n == v.size()) return list;
          return {{"type", value.type_name()}, {"length", v.size()}, {"first", std::move(list)}};
        } else {
          return item_json<T>(v);
        }
      },
      value.variant());
}

}  // namespace kelda::cli
