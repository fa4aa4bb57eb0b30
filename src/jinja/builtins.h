// Filters, tests, methods and global functions are rows of tables: a name, the parameters after the value
// that it works on, and a function. Adding one is adding a row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jinja/object.h"
#include "jinja/value.h"

namespace kelda::jinja {

class Runtime;

struct Param {
  const char* name;
  bool required = false;
};

// The arguments of a call, by parameter.
class Bound {
 public:
  explicit Bound(const Args& args) : args_(args) {}
  // The argument, or nullptr if it was not given.
  const Value* get(std::size_t i) const {
    return i < values_.size() && !values_[i].is_missing() ? &values_[i] : nullptr;
  }
  // The same, and nullptr for none.
  const Value* given(std::size_t i) const {
    const Value* v = get(i);
    return v && !v->is_none() ? v : nullptr;
  }
  const Value& operator[](std::size_t i) const { return values_[i]; }
  // Throws TypeError unless an int (or absent).
  int64_t integer(std::size_t i, int64_t otherwise) const;
  // Throws TypeError unless a string (or absent).
  const Text& text(std::size_t i, const Text& otherwise) const;
  bool truthy(Runtime& rt, std::size_t i, bool otherwise) const;
  // All of them, for a variadic row.
  const Args& all() const { return args_; }

 private:
  friend struct Row;
  const Args& args_;
  std::vector<Value> values_;
};

struct Row {
  std::string_view name;
  Value (*function)(Runtime& rt, const Value& self, Bound& args);
  std::vector<Param> params;
  bool variadic = false;

  // Binds and calls. Throws Python's TypeErrors for arguments that do not fit.
  Value call(Runtime& rt, const Value& self, const Args& args) const;
};

using Table = std::span<const Row>;
const Row* find_row(Table table, std::string_view name);
// "a, b, c", for messages.
std::string names_of(std::span<const Table> tables);

// Filters: filters_*.cpp.
Table string_filters();
Table html_filters();
Table number_filters();
Table sequence_filters();
Table select_filters();
Table order_filters();
Table value_filters();
std::span<const Table> filter_tables();
const Row* find_filter(std::string_view name);

Table type_tests();
Table compare_tests();
std::span<const Table> test_tables();
const Row* find_test(std::string_view name);

// The methods of a value's type; empty if it has none.
Table methods_of(const Value& v);
Table string_methods();
Table string_query_methods();
Table string_shape_methods();
Table list_methods();
Table tuple_methods();
Table dict_methods();

// range, namespace, raise_exception, …
Table global_functions();

// A function as a value: a row, and for a method what it belongs to.
Value function_value(Runtime& rt, const Row& row, Value self);

}  // namespace kelda::jinja
