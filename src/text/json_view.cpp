#include "text/json_view.h"

#include "base/error.h"
#include "base/quote.h"

namespace kelda::text {
namespace {

constexpr std::size_t kMaxDepth = 64, kMaxFields = 64;

std::string_view named(std::string_view path) {
  if (path.empty()) return "the document";
  return path;
}

std::string_view type_name(simdjson::dom::element_type type) {
  using T = simdjson::dom::element_type;
  switch (type) {
    case T::ARRAY:
      return "a list";
    case T::OBJECT:
      return "an object";
    case T::STRING:
      return "a string";
    case T::BOOL:
      return "true or false";
    case T::NULL_VALUE:
      return "null";
    case T::INT64:
    case T::UINT64:
    case T::DOUBLE:
      break;
  }
  return "a number";
}

}  // namespace

void JsonView::refuse(std::string_view wanted) const {
  fail(ErrorCode::kBadInput, "{} is {}, not {}", named(path_), type_name(element_.type()), wanted);
}

std::string_view JsonView::text() const {
  std::string_view out;
  if (element_.get(out) != simdjson::SUCCESS) refuse("a string");
  return out;
}

bool JsonView::boolean() const {
  bool out = false;
  if (element_.get(out) != simdjson::SUCCESS) refuse("true or false");
  return out;
}

int64_t JsonView::integer(int64_t lo, int64_t hi) const {
  int64_t out = 0;
  if (element_.get(out) != simdjson::SUCCESS) {
    if (element_.is_uint64()) fail(ErrorCode::kBadInput, "{} is above {}", named(path_), hi);
    refuse("a whole number");
  }
  if (out < lo || out > hi)
    fail(ErrorCode::kBadInput, "{} is {}; {} to {} are possible", named(path_), out, lo, hi);
  return out;
}

uint64_t JsonView::natural() const {
  uint64_t out = 0;
  if (element_.get(out) != simdjson::SUCCESS) {
    if (element_.is_int64()) fail(ErrorCode::kBadInput, "{} is below 0", named(path_));
    refuse("a whole number");
  }
  return out;
}

double JsonView::number(double lo, double hi) const {
  double out = 0;
  if (element_.get(out) != simdjson::SUCCESS) refuse("a number");
  if (!(out >= lo && out <= hi))
    fail(ErrorCode::kBadInput, "{} is {}; {} to {} are possible", named(path_), out, lo, hi);
  return out;
}

std::string JsonView::json() const { return simdjson::minify(element_); }

simdjson::dom::array JsonView::raw_list() const {
  simdjson::dom::array out;
  if (element_.get(out) != simdjson::SUCCESS) refuse("a list");
  return out;
}

simdjson::dom::object JsonView::raw_object() const {
  simdjson::dom::object out;
  if (element_.get(out) != simdjson::SUCCESS) refuse("an object");
  return out;
}

std::vector<JsonView> JsonView::list(std::size_t at_most) const {
  std::vector<JsonView> out;
  for (const simdjson::dom::element e : raw_list()) {
    if (out.size() == at_most)
      fail(ErrorCode::kBadInput, "{} has more than {} entries", named(path_), at_most);
    out.emplace_back(e, fmt::format("{}[{}]", path_, out.size()));
  }
  return out;
}

JsonObject JsonView::object() const { return {raw_object(), path_}; }

JsonObject::JsonObject(simdjson::dom::object object, std::string path) : path_(std::move(path)) {
  for (const simdjson::dom::key_value_pair field : object) {
    if (fields_.size() == kMaxFields)
      fail(ErrorCode::kBadInput, "{} has more than {} fields", named(path_), kMaxFields);
    for (const Field& f : fields_)
      if (f.key == field.key)
        fail(ErrorCode::kBadInput, "{} has the field {} twice", named(path_), quote(field.key));
    fields_.push_back({field.key, field.value, false});
  }
}

std::optional<JsonView> JsonObject::take(std::string_view key) {
  for (Field& f : fields_) {
    if (f.key != key) continue;
    f.taken = true;
    if (f.value.is_null()) return std::nullopt;
    return JsonView(f.value, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key));
  }
  return std::nullopt;
}

JsonView JsonObject::need(std::string_view key) {
  if (auto view = take(key)) return *std::move(view);
  fail(ErrorCode::kBadInput, "{} has no {}", named(path_), quote(key));
}

bool JsonObject::boolean(std::string_view key, bool otherwise) {
  const auto view = take(key);
  return view ? view->boolean() : otherwise;
}

void JsonObject::done() const {
  for (const Field& f : fields_)
    if (!f.taken)
      fail(ErrorCode::kUnsupported, "{} has a field {}, which this reader does not know", named(path_),
           quote(f.key));
}

JsonDocument::JsonDocument(std::string_view json) {
  simdjson::error_code error = parser_.allocate(json.size(), kMaxDepth);
  if (error == simdjson::SUCCESS) error = parser_.parse(json.data(), json.size(), true).get(root_);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error != simdjson::SUCCESS) fail(ErrorCode::kBadInput, "not JSON: {}", simdjson::error_message(error));
}

}  // namespace kelda::text
