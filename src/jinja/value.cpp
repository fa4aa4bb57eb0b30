#include "jinja/value.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "jinja/errors.h"
#include "jinja/limits.h"
#include "jinja/nodes.h"
#include "jinja/repr.h"
#include "jinja/unicode.h"

namespace kelda::jinja {

Node::~Node() {
  if (budget_) budget_->release(n_bytes_);
}

void Node::count_in(Budget& budget, std::size_t n_bytes) {
  budget.check_value_depth(depth);
  budget.allocate(n_bytes);
  budget_ = &budget;
  n_bytes_ = n_bytes;
}

void Node::count_more(Budget& budget, std::size_t n_bytes) {
  budget.allocate(n_bytes);
  budget_ = &budget;
  n_bytes_ += n_bytes;
}

Value Value::boolean(bool b, Provenance p) {
  Value v(Kind::kBool, p);
  v.bits_.i = b;
  return v;
}

Value Value::integer(int64_t i, Provenance p) {
  Value v(Kind::kInt, p);
  v.bits_.i = i;
  return v;
}

Value Value::real(double d, Provenance p) {
  Value v(Kind::kFloat, p);
  v.bits_.d = d;
  return v;
}

Value Value::big_integer(std::string digits, Provenance p) {
  Value v(Kind::kBigInt, p);
  auto node = std::make_shared<StringNode>();
  node->text = Text(std::move(digits), p);
  v.node_ = std::move(node);
  return v;
}

Value Value::text(Text text, bool markup) {
  Value v(Kind::kString, Provenance::kOwned);
  auto node = std::make_shared<StringNode>();
  node->n_chars = count_chars(text.bytes());
  node->weight = 1 + static_cast<int64_t>(text.size() / 64);
  node->text = std::move(text);
  node->markup = markup;
  v.node_ = std::move(node);
  return v;
}

namespace {
void nest(Node& outer, const Value& inner) {
  constexpr int64_t kHeaviest = int64_t{1} << 60;
  outer.depth = std::max(outer.depth, inner.depth() + 1);
  outer.weight = std::min(outer.weight + inner.weight(), kHeaviest);
}
}  // namespace

Value Value::list(std::vector<Value> items, Provenance p) {
  Value v(Kind::kList, p);
  auto node = std::make_shared<ListNode>();
  for (const Value& item : items) nest(*node, item);
  node->items = std::move(items);
  v.node_ = std::move(node);
  return v;
}

Value Value::tuple(std::vector<Value> items, Provenance p) {
  Value v = list(std::move(items), p);
  v.kind_ = Kind::kTuple;
  return v;
}

Value Value::dict(Dict dict, Provenance p) {
  Value v(Kind::kDict, p);
  auto node = std::make_shared<DictNode>();
  for (const auto& [key, value] : dict.items()) {
    nest(*node, key);
    nest(*node, value);
  }
  node->dict = std::move(dict);
  v.node_ = std::move(node);
  return v;
}

Value Value::object(std::shared_ptr<Object> object) {
  Value v(Kind::kObject, Provenance::kOwned);
  v.node_ = std::move(object);
  return v;
}

Value Value::undefined(std::string name) {
  Value v(Kind::kUndefined, Provenance::kOwned);
  auto node = std::make_shared<UndefinedNode>();
  node->name = string(std::move(name), Provenance::kOwned);
  v.node_ = std::move(node);
  return v;
}

Value Value::undefined_because(std::string message) {
  Value v = undefined("");
  static_cast<UndefinedNode&>(*v.node_).message = std::move(message);
  return v;
}

Value Value::undefined_member(std::string type, Value name) {
  // Only a simple name is kept: undefined values must not nest.
  if (name.node() && !name.is_string() && !name.is(Kind::kBigInt)) {
    return undefined_because(type + " has no element " + short_repr(name));
  }
  Value v = undefined("");
  auto& node = static_cast<UndefinedNode&>(*v.node_);
  node.type = std::move(type);
  node.name = std::move(name);
  return v;
}

bool Value::is_markup() const { return is_string() && static_cast<const StringNode&>(*node_).markup; }

double Value::as_double() const {
  if (kind_ == Kind::kFloat) return bits_.d;
  if (kind_ == Kind::kBigInt) return parse_double(digits());
  return static_cast<double>(bits_.i);
}

namespace {
void want_kind(bool fine, const Value& v, const char* wanted) {
  if (!fine) raise(Raised::kType, "expected {}, got {}", wanted, type_name(v));
}
}  // namespace

const std::string& Value::digits() const {
  want_kind(is(Kind::kBigInt), *this, "int");
  return static_cast<const StringNode&>(*node_).text.bytes();
}

const Text& Value::as_text() const {
  want_kind(is_string(), *this, "str");
  return static_cast<const StringNode&>(*node_).text;
}

std::size_t Value::n_chars() const {
  want_kind(is_string(), *this, "str");
  return static_cast<const StringNode&>(*node_).n_chars;
}

const std::vector<Value>& Value::items() const {
  want_kind(is_sequence(), *this, "list or tuple");
  return static_cast<const ListNode&>(*node_).items;
}

const Dict& Value::as_dict() const {
  want_kind(is_dict(), *this, "dict");
  return static_cast<const DictNode&>(*node_).dict;
}

Object& Value::as_object() const {
  want_kind(is(Kind::kObject), *this, "an object");
  return static_cast<Object&>(*node_);
}

Provenance Value::provenance() const { return is_string() ? as_text().provenance() : provenance_; }

std::string Value::undefined_message() const {
  want_kind(is_undefined(), *this, "Undefined");
  const auto& node = static_cast<const UndefinedNode&>(*node_);
  if (!node.message.empty()) return node.message;
  if (node.type.empty()) return quote_python(node.name.str()) + " is undefined";
  if (node.name.is_string()) {
    return fmt::format("{} has no attribute {}", quote_python(node.type), quote_python(node.name.str()));
  }
  return node.type + " has no element " + short_repr(node.name);
}

std::string type_name(const Value& v) {
  switch (v.kind()) {
    case Value::Kind::kMissing:
    case Value::Kind::kUndefined:
      return "Undefined";
    case Value::Kind::kNone:
      return "NoneType";
    case Value::Kind::kBool:
      return "bool";
    case Value::Kind::kInt:
    case Value::Kind::kBigInt:
      return "int";
    case Value::Kind::kFloat:
      return "float";
    case Value::Kind::kString:
      return v.is_markup() ? "Markup" : "str";
    case Value::Kind::kList:
      return "list";
    case Value::Kind::kTuple:
      return "tuple";
    case Value::Kind::kDict:
      return "dict";
    case Value::Kind::kObject:
      return v.as_object().type_name();
  }
  return "object";
}

std::string object_type(const Value& v) {
  if (v.is_none()) return "None";
  if (v.is(Value::Kind::kObject)) return v.as_object().described();
  if (v.is_markup()) return "markupsafe.Markup object";
  if (v.is_undefined()) return "jinja2.runtime.Undefined object";
  return type_name(v) + " object";
}

namespace {

bool equal_numbers(const Value& a, const Value& b) {
  if (a.is(Value::Kind::kBigInt) && b.is(Value::Kind::kBigInt)) return a.digits() == b.digits();
  if (a.is_integral() && b.is_integral()) return a.as_int() == b.as_int();
  if (a.is(Value::Kind::kBigInt) || b.is(Value::Kind::kBigInt)) return false;
  const double x = a.as_double(), y = b.as_double();
  if (x != y) return false;
  // The conversion of a large integer rounds: compare exactly.
  const Value& whole = a.is_integral() ? a : b;
  return !whole.is_integral() || std::abs(x) < 0x1p53 ||
         (x < 0x1p63 && static_cast<int64_t>(x) == whole.as_int());
}

bool equal_dicts(const Dict& a, const Dict& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a.items()) {
    const Value* other = b.find(key);
    if (!other || !same_item(value, *other)) return false;
  }
  return true;
}

bool is_nan(const Value& v) { return v.is(Value::Kind::kFloat) && std::isnan(v.as_double()); }

}  // namespace

bool same_item(const Value& a, const Value& b) { return equal(a, b) || (is_nan(a) && is_nan(b)); }

bool equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return equal_numbers(a, b);
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Value::Kind::kString:
      return a.str() == b.str();
    case Value::Kind::kList:
    case Value::Kind::kTuple:
      return a.node() == b.node() ||
             std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(), same_item);
    case Value::Kind::kDict:
      return a.node() == b.node() || equal_dicts(a.as_dict(), b.as_dict());
    case Value::Kind::kObject:
      return a.as_object().equals(b.as_object());
    default:
      return true;  // None, undefined, missing
  }
}

std::optional<uint64_t> hash(const Value& v) {
  switch (v.kind()) {
    case Value::Kind::kString:
      return hash_bytes(v.str());
    case Value::Kind::kBigInt:
      return hash_bytes(v.digits());
    case Value::Kind::kFloat: {
      const double d = v.as_double();
      const bool whole = d >= -0x1p63 && d < 0x1p63 && d == std::floor(d);
      if (std::isnan(d)) return hash_word(std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN()));
      return hash_word(whole ? static_cast<uint64_t>(static_cast<int64_t>(d)) : std::bit_cast<uint64_t>(d));
    }
    case Value::Kind::kBool:
    case Value::Kind::kInt:
      return hash_word(static_cast<uint64_t>(v.as_int()));
    case Value::Kind::kTuple: {
      uint64_t all = 7;
      for (const Value& item : v.items()) {
        const auto h = hash(item);
        if (!h) return std::nullopt;
        all = hash_word(all ^ *h);
      }
      return all;
    }
    case Value::Kind::kList:
    case Value::Kind::kDict:
      return std::nullopt;
    case Value::Kind::kObject:
      return v.as_object().hash();
    default:
      return hash_word(static_cast<uint64_t>(v.kind()));
  }
}

}  // namespace kelda::jinja
