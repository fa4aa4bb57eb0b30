// Values that do something: functions, macros, namespaces, loops, generators, ranges.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jinja/value.h"

namespace kelda::jinja {

class Runtime;

// What a call was given.
struct Args {
  std::vector<Value> positional;
  Dict keyword;  // keys are strings, with the provenance of who wrote them
};

// One pass over something.
class Iterator {
 public:
  virtual ~Iterator() = default;
  // The next item, or false at the end (and ever after).
  virtual bool next(Runtime& rt, Value& out) = 0;
};

class Object : public Node, public std::enable_shared_from_this<Object> {
 public:
  virtual std::string type_name() const = 0;
  // As messages name it: "jinja2.runtime.Macro object". By default "TYPE object".
  virtual std::string described() const { return type_name() + " object"; }
  virtual std::string repr(Runtime& rt) = 0;
  virtual bool truthy() const { return true; }
  virtual bool callable() const { return false; }
  virtual Value call(Runtime& rt, Args& args);
  // nullopt: no such attribute.
  virtual std::optional<Value> attribute(Runtime& rt, std::string_view name);
  virtual std::optional<Value> item(Runtime& rt, const Value& key);
  virtual std::optional<std::size_t> length(Runtime& rt);
  // nullptr: cannot be iterated. Several passes are independent, but for generators.
  virtual std::unique_ptr<Iterator> iterate(Runtime& rt);
  virtual bool iterable() const { return false; }
  // What Python's sequence protocols need: an iterator from the end (nullptr: none), a slice.
  virtual std::unique_ptr<Iterator> backwards() const { return nullptr; }
  virtual bool sliceable() const { return false; }
  virtual bool is_sequence() const { return false; }  // for the test of that name
  virtual bool equals(const Object& other) const { return this == &other; }
  // Objects that are equal hash equally; nullopt: unhashable.
  virtual std::optional<uint64_t> hash() const;
  // Drops what it holds, so that no circle of references outlives the rendering.
  virtual void clear() {}
};

// The object of a method that is known to belong to it.
template <typename T>
T& the(const Value& self) {
  return static_cast<T&>(self.as_object());
}

}  // namespace kelda::jinja
