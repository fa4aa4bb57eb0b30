#include "jinja/builtins.h"

#include "jinja/errors.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"
#include "jinja/unicode.h"

namespace kelda::jinja {
namespace {

class Function final : public Object {
 public:
  Function(const Row& row, Value self) : row_(row), self_(std::move(self)) { depth = self_.depth() + 1; }
  std::string type_name() const override { return "builtin_function_or_method"; }
  std::string repr(Runtime&) override {
    const std::string name(row_.name);
    if (self_.is_missing()) return fmt::format("<built-in function {}>", name);
    return fmt::format("<built-in method {} of {} object>", name, jinja::type_name(self_));
  }
  bool callable() const override { return true; }
  Value call(Runtime& rt, Args& args) override { return row_.call(rt, self_, args); }
  bool equals(const Object& other) const override {
    const auto* same = dynamic_cast<const Function*>(&other);
    return same && &same->row_ == &row_ && same->self_.node() == self_.node();
  }
  std::optional<uint64_t> hash() const override {
    return hash_word(reinterpret_cast<uintptr_t>(&row_) ^
                     hash_word(reinterpret_cast<uintptr_t>(self_.node().get())));
  }

 private:
  const Row& row_;
  Value self_;
};

}  // namespace

Value function_value(Runtime& rt, const Row& row, Value self) {
  return rt.object(std::make_shared<Function>(row, std::move(self)));
}

int64_t Bound::integer(std::size_t i, int64_t otherwise) const {
  const Value* v = get(i);
  if (!v) return otherwise;
  if (v->is_undefined()) raise(Raised::kUndefined, "{}", v->undefined_message());
  if (!v->is_integral())
    raise(Raised::kType, "'{}' object cannot be interpreted as an integer", type_name(*v));
  return v->as_int();
}

const Text& Bound::text(std::size_t i, const Text& otherwise) const {
  const Value* v = get(i);
  if (!v) return otherwise;
  if (!v->is_string()) raise(Raised::kType, "must be str, not {}", type_name(*v));
  return v->as_text();
}

bool Bound::truthy(Runtime& rt, std::size_t i, bool otherwise) const {
  const Value* v = get(i);
  return v ? rt.truthy(*v) : otherwise;
}

Value Row::call(Runtime& rt, const Value& self, const Args& args) const {
  rt.budget().step();
  Bound bound(args);
  if (variadic) return function(rt, self, bound);
  if (args.positional.size() > params.size()) {
    raise(Raised::kType, "{}() takes at most {} argument{} ({} given)", name, params.size(),
          params.size() == 1 ? "" : "s", args.positional.size());
  }
  bound.values_ = args.positional;
  bound.values_.resize(params.size());
  for (const auto& [key, value] : args.keyword.items()) {
    std::size_t i = 0;
    while (i < params.size() && key.str() != params[i].name) ++i;
    if (i == params.size())
      raise(Raised::kType, "{}() got an unexpected keyword argument '{}'", name, key.str());
    if (!bound.values_[i].is_missing()) {
      raise(Raised::kType, "{}() got multiple values for argument '{}'", name, key.str());
    }
    bound.values_[i] = value;
  }
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (params[i].required && bound.values_[i].is_missing()) {
      raise(Raised::kType, "{}() missing 1 required positional argument: '{}'", name, params[i].name);
    }
  }
  return function(rt, self, bound);
}

const Row* find_row(Table table, std::string_view name) {
  for (const Row& row : table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::string names_of(std::span<const Table> tables) {
  std::string names;
  for (const Table table : tables) {
    for (const Row& row : table) names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return names;
}

std::span<const Table> filter_tables() {
  static const Table all[] = {string_filters(), html_filters(),  number_filters(), sequence_filters(),
                              select_filters(), order_filters(), value_filters()};
  return all;
}

std::span<const Table> test_tables() {
  static const Table all[] = {type_tests(), compare_tests()};
  return all;
}

namespace {
const Row* find_in(std::span<const Table> tables, std::string_view name) {
  for (const Table table : tables) {
    if (const Row* row = find_row(table, name)) return row;
  }
  return nullptr;
}
}  // namespace

const Row* find_filter(std::string_view name) { return find_in(filter_tables(), name); }
const Row* find_test(std::string_view name) { return find_in(test_tables(), name); }

}  // namespace kelda::jinja
