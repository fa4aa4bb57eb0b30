#include "config/metadata.h"

#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>

#include "base/error.h"
#include "base/quote.h"

namespace kelda {
namespace {

constexpr std::array<std::string_view, 12> kScalarNames = {"u8",  "i8",   "u16",    "i16", "u32", "i32",
                                                           "f32", "bool", "string", "u64", "i64", "f64"};
constexpr std::array<std::string_view, 12> kArrayNames = {
    "array of u8",  "array of i8",   "array of u16",    "array of i16", "array of u32", "array of i32",
    "array of f32", "array of bool", "array of string", "array of u64", "array of i64", "array of f64"};

template <typename T>
void append_item(std::string& out, const T& item) {
  if constexpr (std::is_same_v<T, std::string>) {
    out += quote(item, std::numeric_limits<std::size_t>::max());
  } else if constexpr (std::is_same_v<T, bool>) {
    out += item ? "true" : "false";
  } else {
    fmt::format_to(std::back_inserter(out), "{}", item);
  }
}

[[noreturn]] void missing(std::string_view key) {
  fail(ErrorCode::kBadInput, "missing metadata key {}", quote(key));
}

[[noreturn]] void wrong_type(std::string_view key, const MetadataValue& value, std::string_view wanted) {
  fail(ErrorCode::kBadInput, "metadata key {} is of type {}; {} is required", quote(key), value.type_name(),
       wanted);
}

[[noreturn]] void out_of_range(std::string_view key, const MetadataValue& value, const std::string& lo,
                               const std::string& hi) {
  fail(ErrorCode::kBadInput, "metadata key {} is {}; allowed are {} to {}", quote(key), value.display(1), lo,
       hi);
}

int64_t integer_in(std::string_view key, const MetadataValue& value, int64_t lo, int64_t hi) {
  return std::visit(
      [&](const auto& v) -> int64_t {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          if (std::cmp_less(v, lo) || std::cmp_greater(v, hi)) {
            out_of_range(key, value, std::to_string(lo), std::to_string(hi));
          }
          return static_cast<int64_t>(v);
        } else {
          wrong_type(key, value, "an integer");
        }
      },
      value.variant());
}

double number_in(std::string_view key, const MetadataValue& value, double lo, double hi) {
  return std::visit(
      [&](const auto& v) -> double {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::is_floating_point_v<T>) {
          const auto x = static_cast<double>(v);
          if (!std::isfinite(x) || x < lo || x > hi) {
            out_of_range(key, value, fmt::format("{}", lo), fmt::format("{}", hi));
          }
          return x;
        } else {
          wrong_type(key, value, "f32 or f64");
        }
      },
      value.variant());
}

template <typename T>
const T* typed(const MetadataValue* value, std::string_view key, std::string_view wanted) {
  if (value == nullptr) return nullptr;
  const T* v = std::get_if<T>(&value->variant());
  if (v == nullptr) wrong_type(key, *value, wanted);
  return v;
}

}  // namespace

std::size_t MetadataValue::array_size() const {
  return std::visit(
      [](const auto& v) -> std::size_t {
        if constexpr (kIsVector<std::remove_cvref_t<decltype(v)>>) {
          return v.size();
        } else {
          return 0;
        }
      },
      v_);
}

std::string_view MetadataValue::type_name() const {
  static_assert(std::variant_size_v<Variant> == kScalarNames.size() + kArrayNames.size());
  const std::size_t i = v_.index();
  return i < kScalarNames.size() ? kScalarNames[i] : kArrayNames[i - kScalarNames.size()];
}

std::string MetadataValue::display(std::size_t max_items) const {
  std::string out;
  std::visit(
      [&](const auto& v) {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (kIsVector<T>) {
          fmt::format_to(std::back_inserter(out), "[{} of {}", v.size(),
                         kScalarNames[v_.index() - kScalarNames.size()]);
          for (std::size_t i = 0; i < v.size() && i < max_items; ++i) {
            out += i == 0 ? ": " : ", ";
            append_item<typename T::value_type>(out, v[i]);
          }
          if (v.size() > max_items) out += max_items == 0 ? ": …" : ", …";
          out += ']';
        } else {
          append_item(out, v);
        }
      },
      v_);
  return out;
}

void Metadata::add(std::string key, MetadataValue value) {
  const auto [where, fresh] = index_.try_emplace(key, items_.size());
  if (!fresh) fail(ErrorCode::kBadInput, "metadata key {} appears twice", quote(key));
  items_.emplace_back(std::move(key), std::move(value));
}

void Metadata::set(std::string_view key, MetadataValue value) {
  const auto where = index_.find(key);
  if (where == index_.end()) {
    add(std::string(key), std::move(value));
  } else {
    items_[where->second].second = std::move(value);
  }
}

const MetadataValue* Metadata::find(std::string_view key) const {
  const auto where = index_.find(key);
  return where == index_.end() ? nullptr : &items_[where->second].second;
}

int64_t Metadata::integer(std::string_view key, int64_t lo, int64_t hi) const {
  const MetadataValue* value = find(key);
  if (value == nullptr) missing(key);
  return integer_in(key, *value, lo, hi);
}

int64_t Metadata::integer(std::string_view key, int64_t lo, int64_t hi, int64_t otherwise) const {
  const MetadataValue* value = find(key);
  return value == nullptr ? otherwise : integer_in(key, *value, lo, hi);
}

double Metadata::number(std::string_view key, double lo, double hi) const {
  const MetadataValue* value = find(key);
  if (value == nullptr) missing(key);
  return number_in(key, *value, lo, hi);
}

double Metadata::number(std::string_view key, double lo, double hi, double otherwise) const {
  const MetadataValue* value = find(key);
  return value == nullptr ? otherwise : number_in(key, *value, lo, hi);
}

bool Metadata::boolean(std::string_view key, bool otherwise) const {
  const bool* v = typed<bool>(find(key), key, "bool");
  return v == nullptr ? otherwise : *v;
}

const std::string& Metadata::text(std::string_view key) const {
  const auto* v = typed<std::string>(find(key), key, "string");
  if (v == nullptr) missing(key);
  return *v;
}

std::string Metadata::text(std::string_view key, std::string_view otherwise) const {
  const auto* v = typed<std::string>(find(key), key, "string");
  return v == nullptr ? std::string(otherwise) : *v;
}

const std::vector<std::string>* Metadata::strings(std::string_view key) const {
  return typed<std::vector<std::string>>(find(key), key, "array of string");
}

const std::vector<float>* Metadata::floats(std::string_view key) const {
  return typed<std::vector<float>>(find(key), key, "array of f32");
}

const std::vector<int32_t>* Metadata::int32s(std::string_view key) const {
  return typed<std::vector<int32_t>>(find(key), key, "array of i32");
}

}  // namespace kelda
