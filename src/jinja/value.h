// A value of a template: what Python's None, bool, int, float, str, list, tuple and dict are, Jinja's
// undefined, and objects (macros, namespaces, loops, generators: object.h). Copying is cheap, contents are
// shared and never change once made; only namespaces do. Every value knows whether it came from the
// conversation (Provenance::kInput), since its text will be printed; strings know it byte by byte.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jinja/text.h"

namespace kelda::jinja {

class Budget;
class Dict;
class Object;

// What is shared. A node made while rendering is counted in the rendering's budget for as long as it lives.
class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node();
  void count_in(Budget& budget, std::size_t n_bytes);
  void count_more(Budget& budget, std::size_t n_bytes);
  int depth = 1;  // of what is nested inside: bounds every recursion over a value, its destruction included
  // Steps of a walk over all of it (shared parts as often as they are met): a few lists can be a huge tree.
  int64_t weight = 1;

 private:
  Budget* budget_ = nullptr;
  std::size_t n_bytes_ = 0;
};

class Value {
 public:
  enum class Kind : uint8_t {
    kMissing,  // no value at all; never seen by a template
    kUndefined,
    kNone,
    kBool,
    kInt,
    kBigInt,  // an integer of JSON beyond 64 bits, kept as digits: it can be printed and compared, not
              // computed
    kFloat,
    kString,
    kList,
    kTuple,
    kDict,
    kObject,
  };

  Value() = default;  // missing
  static Value none(Provenance p = Provenance::kOwned) { return Value(Kind::kNone, p); }
  static Value boolean(bool b, Provenance p = Provenance::kOwned);
  static Value integer(int64_t i, Provenance p = Provenance::kOwned);
  static Value real(double d, Provenance p = Provenance::kOwned);
  // Digits with an optional minus sign, as in JSON.
  static Value big_integer(std::string digits, Provenance p);
  static Value string(std::string bytes, Provenance p) { return text(Text(std::move(bytes), p)); }
  // `markup`: the string is marked as HTML (filter `safe`): adding to it escapes.
  static Value text(Text text, bool markup = false);
  static Value list(std::vector<Value> items, Provenance p = Provenance::kOwned);
  static Value tuple(std::vector<Value> items, Provenance p = Provenance::kOwned);
  static Value dict(Dict dict, Provenance p = Provenance::kOwned);
  static Value object(std::shared_ptr<Object> object);
  // Undefined, by its name: using it fails with "'NAME' is undefined".
  static Value undefined(std::string name);
  // Undefined, with its own message.
  static Value undefined_because(std::string message);
  // Undefined, as the element or attribute `name` of something that `type` describes ("dict object").
  static Value undefined_member(std::string type, Value name);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_missing() const { return kind_ == Kind::kMissing; }
  bool is_undefined() const { return kind_ == Kind::kUndefined; }
  bool is_none() const { return kind_ == Kind::kNone; }
  bool is_bool() const { return kind_ == Kind::kBool; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_dict() const { return kind_ == Kind::kDict; }
  bool is_list() const { return kind_ == Kind::kList; }
  bool is_tuple() const { return kind_ == Kind::kTuple; }
  bool is_sequence() const { return is_list() || is_tuple(); }
  bool is_integral() const { return kind_ == Kind::kInt || kind_ == Kind::kBool; }  // as Python: bool is int
  bool is_number() const { return is_integral() || kind_ == Kind::kFloat || kind_ == Kind::kBigInt; }
  bool is_markup() const;

  // Each asks for the kind that it names, and those that read memory throw Failure (TypeError) for another:
  // a template's mistake that a function overlooks must not end the process.
  bool as_bool() const { return bits_.i != 0; }
  int64_t as_int() const { return bits_.i; }  // also of a bool
  double as_double() const;                   // of any number
  const std::string& digits() const;          // of a big integer
  const Text& as_text() const;
  std::string_view str() const { return as_text().bytes(); }
  std::size_t n_chars() const;  // of a string: Unicode characters
  const std::vector<Value>& items() const;
  const Dict& as_dict() const;
  Object& as_object() const;
  const std::shared_ptr<Node>& node() const { return node_; }

  // The object as T, or nullptr if it is something else.
  template <typename T>
  T* object_as() const {
    return is(Kind::kObject) ? dynamic_cast<T*>(node_.get()) : nullptr;
  }

  // Of everything but a string: whether its text counts as the template's.
  Provenance provenance() const;
  int depth() const { return node_ ? node_->depth : 0; }
  int64_t weight() const { return node_ ? node_->weight : 1; }

  // What using an undefined value says: "'x' is undefined".
  std::string undefined_message() const;

 private:
  explicit Value(Kind kind, Provenance p) : kind_(kind), provenance_(p) {}

  Kind kind_ = Kind::kMissing;
  Provenance provenance_ = Provenance::kOwned;
  union {
    int64_t i;
    double d;
  } bits_ = {0};
  std::shared_ptr<Node> node_;
};

// Python's ==. Recursion is bounded by the values' depth, time by their weight; throws nothing.
bool equal(const Value& a, const Value& b);
// Whether two items of a list or two keys of a dict are the same to Python: == or the same object. NaN, which
// has no identity here, is the same as itself.
bool same_item(const Value& a, const Value& b);
// Python's hash: equal values hash equally. nullopt for what Python calls unhashable (list, dict).
std::optional<uint64_t> hash(const Value& v);
// Python's name of the type: "str", "NoneType", "dict".
std::string type_name(const Value& v);
// As Jinja2's messages name an object: "dict object", "None".
std::string object_type(const Value& v);

// A dict: in the order of insertion, found by hash. Keys are hashable values.
class Dict {
 public:
  using Item = std::pair<Value, Value>;

  std::size_t size() const { return items_.size(); }
  const std::vector<Item>& items() const { return items_; }
  const Value* find(const Value& key) const;  // nullptr if absent or unhashable
  const Value* find(std::string_view key) const;
  // Keeps the place of a key that is there. Throws Failure (TypeError) for an unhashable key.
  void set(const Value& key, Value value);
  void set(std::string_view key, Value value, Provenance p = Provenance::kInput) {
    set(Value::string(std::string(key), p), std::move(value));
  }
  // The value, leaving a missing one in its place; missing if there is none.
  Value take(std::string_view key);
  void clear();
  std::size_t memory() const;

 private:
  template <typename Equal>
  std::size_t slot_of(uint64_t hash, const Equal& equal) const;
  uint32_t entry_of(std::string_view key) const;  // 1 + index, 0 if absent
  void rehash(std::size_t n_slots);

  std::vector<Item> items_;
  std::vector<uint64_t> hashes_;
  std::vector<uint32_t> slots_;  // 1 + index, 0 for free; a power of two, at most two thirds full
};

}  // namespace kelda::jinja
