#include "models/config_keys.h"

#include <limits>
#include <type_traits>

#include "base/error.h"
#include "base/quote.h"

namespace kelda::models {

int64_t ConfigKeys::integer(std::string_view name, int64_t lo, int64_t hi) {
  return metadata_.integer(mark(name), lo, hi);
}

int64_t ConfigKeys::integer(std::string_view name, int64_t lo, int64_t hi, int64_t otherwise) {
  return metadata_.integer(mark(name), lo, hi, otherwise);
}

double ConfigKeys::number(std::string_view name, double lo, double hi) {
  return metadata_.number(mark(name), lo, hi);
}

double ConfigKeys::number(std::string_view name, double lo, double hi, double otherwise) {
  return metadata_.number(mark(name), lo, hi, otherwise);
}

bool ConfigKeys::boolean(std::string_view name, bool otherwise) {
  return metadata_.boolean(mark(name), otherwise);
}

const std::vector<bool>* ConfigKeys::booleans(std::string_view name) {
  const MetadataValue* value = metadata_.find(full(name));
  const auto* flags = value == nullptr ? nullptr : std::get_if<std::vector<bool>>(&value->variant());
  if (flags != nullptr) mark(name);
  return flags;
}

std::string ConfigKeys::text(std::string_view name, std::string_view otherwise) {
  return metadata_.text(mark(name), otherwise);
}

void ConfigKeys::only(std::string_view name, const Neutral& value) {
  const std::string key = mark(name);
  const auto require = [&](bool same, const auto& shown, const auto& wanted) {
    if (!same) fail(ErrorCode::kUnsupported, "{} is {}; this build runs only {}", key, shown, wanted);
  };
  std::visit(
      [&](const auto& want) {
        using T = std::remove_cvref_t<decltype(want)>;
        if constexpr (std::is_same_v<T, bool>) {
          const bool is = metadata_.boolean(key, want);
          require(is == want, is, want);
        } else if constexpr (std::is_same_v<T, int64_t>) {
          using Range = std::numeric_limits<int64_t>;
          const int64_t is = metadata_.integer(key, Range::min(), Range::max(), want);
          require(is == want, is, want);
        } else if constexpr (std::is_same_v<T, double>) {
          using Range = std::numeric_limits<double>;
          const double is = metadata_.number(key, Range::lowest(), Range::max(), want);
          require(static_cast<float>(is) == static_cast<float>(want), is, want);
        } else {
          const std::string is = metadata_.text(key, want);
          require(is == want, quote(is), quote(want));
        }
      },
      value);
}

void ConfigKeys::refuse_unread() const {
  for (const auto& [key, value] : metadata_.items()) {
    if (!key.starts_with(prefix_) || read_.count(key) != 0) continue;
    fail(ErrorCode::kUnsupported,
         "metadata key {} is not one that this build knows of this architecture; ignoring it could compute "
         "something else than the model",
         quote(key));
  }
}

}  // namespace kelda::models
