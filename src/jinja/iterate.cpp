#include "jinja/iterate.h"

#include <algorithm>

#include "jinja/errors.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"
#include "jinja/unicode.h"

namespace kelda::jinja {
namespace {

class Items final : public Iterator {
 public:
  explicit Items(Value v) : v_(std::move(v)) {}
  bool next(Runtime&, Value& out) override {
    if (at_ >= v_.items().size()) return false;
    out = v_.items()[at_++];
    return true;
  }

 private:
  Value v_;
  std::size_t at_ = 0;
};

class Characters final : public Iterator {
 public:
  explicit Characters(Value v) : v_(std::move(v)) {}
  bool next(Runtime& rt, Value& out) override {
    if (at_ >= v_.str().size()) return false;
    const std::size_t end = at_ + next_utf8(v_.str().substr(at_)).length;
    out = rt.text(v_.as_text().slice(at_, end));  // of marked text too, as in Python
    at_ = end;
    return true;
  }

 private:
  Value v_;
  std::size_t at_ = 0;
};

class Nothing final : public Iterator {
 public:
  bool next(Runtime&, Value&) override { return false; }
};

class DictItems final : public Iterator {
 public:
  DictItems(ViewKind kind, Value dict, bool backwards)
      : kind_(kind), dict_(std::move(dict)), backwards_(backwards) {}
  bool next(Runtime& rt, Value& out) override {
    const auto& items = dict_.as_dict().items();
    if (at_ >= items.size()) return false;
    const auto& [key, value] = items[backwards_ ? items.size() - 1 - at_ : at_];
    ++at_;
    out = kind_ == ViewKind::kKeys     ? key
          : kind_ == ViewKind::kValues ? value
                                       : rt.tuple({key, value}, dict_.provenance());
    return true;
  }

 private:
  ViewKind kind_;
  Value dict_;
  bool backwards_;
  std::size_t at_ = 0;
};

class DictView final : public Object {
 public:
  DictView(ViewKind kind, Value dict) : kind_(kind), dict_(std::move(dict)) {
    depth = dict_.depth() + 1;
    weight = dict_.weight();
  }
  std::string type_name() const override {
    return kind_ == ViewKind::kKeys ? "dict_keys" : kind_ == ViewKind::kValues ? "dict_values" : "dict_items";
  }
  std::string repr(Runtime& rt) override {
    DictItems items(kind_, dict_, false);
    std::vector<Value> all;
    for (Value item; items.next(rt, item);) all.push_back(item);
    return type_name() + "(" + to_repr(rt, rt.list(std::move(all), Provenance::kInput)).bytes() + ")";
  }
  std::optional<std::size_t> length(Runtime&) override { return dict_.as_dict().size(); }
  bool iterable() const override { return true; }
  std::unique_ptr<Iterator> iterate(Runtime&) override {
    return std::make_unique<DictItems>(kind_, dict_, false);
  }
  std::unique_ptr<Iterator> backwards() const override {
    return std::make_unique<DictItems>(kind_, dict_, true);
  }
  // keys() and items() compare as sets do, values() by identity.
  bool equals(const Object& other) const override {
    const auto* o = dynamic_cast<const DictView*>(&other);
    if (!o || o->kind_ != kind_ || kind_ == ViewKind::kValues) return this == &other;
    const Dict &mine = dict_.as_dict(), &theirs = o->dict_.as_dict();
    return mine.size() == theirs.size() &&
           std::all_of(mine.items().begin(), mine.items().end(), [&](const Dict::Item& item) {
             const Value* found = theirs.find(item.first);
             return found && (kind_ == ViewKind::kKeys || same_item(item.second, *found));
           });
  }
  std::optional<uint64_t> hash() const override {
    return kind_ == ViewKind::kValues ? Object::hash() : std::nullopt;
  }

 private:
  ViewKind kind_;
  Value dict_;
};

class Generator final : public Object {
 public:
  // Of a function, or an iterator whose type is `name`.
  Generator(std::string name, bool is_function, NextItem next)
      : name_(std::move(name)), is_function_(is_function), next_(std::move(next)) {}
  std::string type_name() const override { return is_function_ ? "generator" : name_; }
  std::string repr(Runtime&) override {
    return is_function_ ? fmt::format("<generator object {}>", name_) : fmt::format("<{} object>", name_);
  }
  bool iterable() const override { return true; }
  void clear() override { next_ = nullptr, done_ = true; }

  // The passes share the generator, and end it together.
  class Pass final : public Iterator {
   public:
    explicit Pass(std::shared_ptr<Node> generator) : generator_(std::move(generator)) {}
    bool next(Runtime& rt, Value& out) override { return static_cast<Generator&>(*generator_).step(rt, out); }

   private:
    std::shared_ptr<Node> generator_;
  };
  bool step(Runtime& rt, Value& out) {
    if (done_) return false;
    if (running_) raise(Raised::kValue, "generator already executing");
    const Budget::Level level(rt.budget());
    rt.budget().step();
    running_ = true;
    done_ = true;  // stays so if next_ throws
    done_ = !next_(rt, out);
    running_ = false;
    if (done_) next_ = nullptr;
    return !done_;
  }

 private:
  std::string name_;
  bool is_function_;
  NextItem next_;
  bool done_ = false;
  bool running_ = false;
};

// start + i · step, which fits where it is an item of a range, although the product may not.
int64_t range_item(int64_t start, uint64_t i, int64_t step) {
  return static_cast<int64_t>(static_cast<uint64_t>(start) + i * static_cast<uint64_t>(step));
}

class RangeItems final : public Iterator {
 public:
  RangeItems(int64_t at, int64_t step, std::size_t n, Provenance p) : at_(at), step_(step), left_(n), p_(p) {}
  bool next(Runtime&, Value& out) override {
    if (left_ == 0) return false;
    out = Value::integer(at_, p_);
    if (--left_ > 0) at_ = range_item(at_, 1, step_);
    return true;
  }

 private:
  int64_t at_, step_;
  std::size_t left_;
  Provenance p_;
};

class Range final : public Object {
 public:
  Range(int64_t start, int64_t stop, int64_t step, std::size_t n, Provenance p)
      : start_(start), stop_(stop), step_(step), n_(n), p_(p) {}
  std::string type_name() const override { return "range"; }
  std::string repr(Runtime&) override {
    if (step_ == 1) return fmt::format("range({}, {})", start_, stop_);
    return fmt::format("range({}, {}, {})", start_, stop_, step_);
  }
  std::optional<std::size_t> length(Runtime&) override { return n_; }
  bool iterable() const override { return true; }
  std::unique_ptr<Iterator> iterate(Runtime&) override {
    return std::make_unique<RangeItems>(start_, step_, n_, p_);
  }
  std::unique_ptr<Iterator> backwards() const override {
    if (n_ == 0) return std::make_unique<Nothing>();
    return std::make_unique<RangeItems>(range_item(start_, n_ - 1, step_), range_item(0, ~uint64_t{0}, step_),
                                        n_, p_);
  }
  std::optional<Value> item(Runtime&, const Value& key) override {
    if (!key.is_integral()) return std::nullopt;
    const auto n = static_cast<int64_t>(n_);
    const int64_t i = key.as_int() < 0 ? key.as_int() + n : key.as_int();
    if (i < 0 || i >= n) return std::nullopt;
    return Value::integer(range_item(start_, static_cast<uint64_t>(i), step_), p_);
  }
  bool equals(const Object& other) const override {
    const auto* o = dynamic_cast<const Range*>(&other);
    return o && o->n_ == n_ && (n_ == 0 || (o->start_ == start_ && (n_ == 1 || o->step_ == step_)));
  }
  std::optional<uint64_t> hash() const override {
    const auto word = [](int64_t x) { return static_cast<uint64_t>(x); };
    return hash_word(n_ ^ hash_word(n_ > 0 ? word(start_) : 0) ^ hash_word(n_ > 1 ? ~word(step_) : 0));
  }
  bool sliceable() const override { return true; }
  bool is_sequence() const override { return true; }

 private:
  int64_t start_, stop_, step_;
  std::size_t n_;
  Provenance p_;
};

Value backwards_over(Runtime& rt, const Value& v, std::unique_ptr<Iterator> pass) {
  const std::shared_ptr<Iterator> shared = std::move(pass);
  const char* name = v.is_list()   ? "list_reverseiterator"
                     : v.is_dict() ? "dict_reversekeyiterator"
                                   : "reversed";
  auto made = std::make_shared<Generator>(name, false,
                                          [shared](Runtime& r, Value& out) { return shared->next(r, out); });
  made->depth = v.depth() + 2;
  return rt.object(std::move(made));
}

}  // namespace

std::unique_ptr<Iterator> iterate(Runtime& rt, const Value& v) {
  switch (v.kind()) {
    case Value::Kind::kUndefined:
      return std::make_unique<Nothing>();
    case Value::Kind::kString:
      return std::make_unique<Characters>(v);
    case Value::Kind::kList:
    case Value::Kind::kTuple:
      return std::make_unique<Items>(v);
    case Value::Kind::kDict:
      return std::make_unique<DictItems>(ViewKind::kKeys, v, false);
    case Value::Kind::kObject:
      if (v.object_as<Generator>()) return std::make_unique<Generator::Pass>(v.node());
      if (v.as_object().iterable()) return v.as_object().iterate(rt);
      break;
    default:
      break;
  }
  raise(Raised::kType, "'{}' object is not iterable", type_name(v));
}

bool is_iterable(const Value& v) {
  return v.is_undefined() || v.is_string() || v.is_sequence() || v.is_dict() ||
         (v.is(Value::Kind::kObject) && v.as_object().iterable());
}

void for_each(Runtime& rt, const Value& v, const std::function<bool(const Value&)>& f) {
  const auto items = iterate(rt, v);
  for (Value item; items->next(rt, item);) {
    rt.budget().step();
    if (!f(item)) return;
  }
}

std::vector<Value> collect(Runtime& rt, const Value& v) {
  if (v.is_sequence()) {
    rt.budget().step(static_cast<int64_t>(v.items().size() / 8));
    rt.budget().want(v.items().size() * sizeof(Value));
    return v.items();
  }
  std::vector<Value> all;
  for_each(rt, v, [&](const Value& item) {
    rt.budget().want(2 * all.size() * sizeof(Value));
    all.push_back(item);
    return true;
  });
  return all;
}

Value generator(Runtime& rt, std::string name, int depth, NextItem next) {
  auto made = std::make_shared<Generator>(std::move(name), true, std::move(next));
  made->depth = depth + 1;
  return rt.object(std::move(made));
}

Value gathering_generator(Runtime& rt, std::string name, int depth, NextItem next) {
  auto made = std::make_shared<Generator>(std::move(name), true, std::move(next));
  made->depth = depth + 1;
  return rt.kept(std::move(made));
}

Value dict_view(Runtime& rt, ViewKind kind, const Value& dict) {
  return rt.object(std::make_shared<DictView>(kind, dict));
}

Value reversed(Runtime& rt, const Value& v) {
  if (v.is_dict()) return backwards_over(rt, v, std::make_unique<DictItems>(ViewKind::kKeys, v, true));
  if (v.is(Value::Kind::kObject)) {
    if (auto pass = v.as_object().backwards()) return backwards_over(rt, v, std::move(pass));
  }
  if (!v.is_sequence() && !v.is_string() && !v.is_undefined()) {
    raise(Raised::kType, "'{}' object is not reversible", type_name(v));
  }
  std::vector<Value> all = collect(rt, v);
  std::reverse(all.begin(), all.end());
  const bool is_list = v.is_list();
  const Value turned =
      is_list ? rt.list(std::move(all), v.provenance()) : rt.tuple(std::move(all), v.provenance());
  return backwards_over(rt, turned, std::make_unique<Items>(turned));
}

Value make_range(Runtime& rt, int64_t start, int64_t stop, int64_t step, Provenance p) {
  constexpr uint64_t kMaxRange = 100'000;
  if (step == 0) raise(Raised::kValue, "range() arg 3 must not be zero");
  const bool up = step > 0;
  const bool empty = up ? start >= stop : start <= stop;
  const auto word = [](int64_t x) { return static_cast<uint64_t>(x); };  // differences fit without a sign
  const uint64_t span = up ? word(stop) - word(start) : word(start) - word(stop);
  const uint64_t stride = up ? word(step) : uint64_t{0} - word(step);
  const uint64_t n = empty ? 0 : (span - 1) / stride + 1;
  if (n > kMaxRange) {
    raise(Raised::kOverflow, "Range too big. The sandbox blocks ranges larger than MAX_RANGE ({}).",
          kMaxRange);
  }
  return rt.object(std::make_shared<Range>(start, stop, step, static_cast<std::size_t>(n), p));
}

}  // namespace kelda::jinja
