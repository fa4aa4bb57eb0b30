// Filters that compare items: sort, dictsort, min, max, groupby.
#include <algorithm>

#include "jinja/attribute_path.h"
#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/iterate.h"
#include "jinja/operators.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"

namespace kelda::jinja {
namespace {

struct Keyed {
  Value key, item;
};

// A merge sort: stable, and safe whatever the comparison does (it may throw, or be no order at all).
void sort_keyed(Runtime& rt, std::vector<Keyed>& all, bool reverse) {
  std::vector<Keyed> other(all.size());
  for (std::size_t run = 1; run < all.size(); run *= 2) {
    for (std::size_t begin = 0; begin < all.size(); begin += 2 * run) {
      const std::size_t middle = std::min(begin + run, all.size()),
                        end = std::min(begin + 2 * run, all.size());
      std::size_t a = begin, b = middle;
      for (std::size_t to = begin; to < end; ++to) {
        rt.budget().step();
        const bool take_right =
            a >= middle ||
            (b < end && (reverse ? less(rt, all[a].key, all[b].key) : less(rt, all[b].key, all[a].key)));
        other[to] = std::move(take_right ? all[b++] : all[a++]);
      }
    }
    all.swap(other);
  }
}

// The items of `v` in the order of key(item).
template <typename Key>
std::vector<Keyed> sorted(Runtime& rt, const Value& v, bool reverse, const Key& key) {
  std::vector<Value> items = collect(rt, v);
  rt.budget().want(2 * items.size() * sizeof(Keyed));
  std::vector<Keyed> keyed;
  keyed.reserve(items.size());
  for (Value& item : items) {
    Value k = key(item);
    keyed.push_back({std::move(k), std::move(item)});
  }
  sort_keyed(rt, keyed, reverse);
  return keyed;
}

Value list_of(Runtime& rt, std::vector<Keyed> all, Provenance p) {
  std::vector<Value> items;
  rt.budget().want(all.size() * sizeof(Value));
  items.reserve(all.size());
  for (Keyed& k : all) items.push_back(std::move(k.item));
  return rt.list(std::move(items), p);
}

// Folds case unless told not to.
Value folded(Runtime& rt, const Value& v, bool case_sensitive) {
  return case_sensitive ? v : without_case(rt, v);
}

// The key of sort: a tuple of one value per path of "a,b".
Value sort_key(Runtime& rt, const Value& item, const std::vector<std::vector<Value>>& paths,
               bool case_sensitive) {
  std::vector<Value> keys;
  for (const auto& path : paths) keys.push_back(folded(rt, follow(rt, item, path), case_sensitive));
  return rt.tuple(std::move(keys), Provenance::kOwned);
}

Value sort(Runtime& rt, const Value& self, Bound& args) {
  const bool reverse = args.truthy(rt, 0, false), case_sensitive = args.truthy(rt, 1, false);
  std::vector<std::vector<Value>> paths;
  const Value attribute = args.get(2) ? args[2] : Value::none();
  if (attribute.is_string()) {
    std::string_view all = attribute.str();
    for (std::size_t at = 0;;) {
      const std::size_t comma = std::min(all.find(',', at), all.size());
      paths.push_back(path_parts(rt, rt.text(attribute.as_text().slice(at, comma))));
      if (comma == all.size()) break;
      at = comma + 1;
    }
  } else {
    paths.push_back(path_parts(rt, attribute));
  }
  auto keyed =
      sorted(rt, self, reverse, [&](const Value& item) { return sort_key(rt, item, paths, case_sensitive); });
  return list_of(rt, std::move(keyed), self.is_string() ? Provenance::kOwned : self.provenance());
}

Value dict_sort(Runtime& rt, const Value& self, Bound& args) {
  const bool case_sensitive = args.truthy(rt, 0, false), reverse = args.truthy(rt, 2, false);
  const std::string by = args.get(1) && args[1].is_string() ? std::string(args[1].str())
                         : args.get(1)                      ? ""
                                                            : "key";
  if (by != "key" && by != "value") raise(Raised::kOther, "You can only sort by either \"key\" or \"value\"");
  if (self.is_undefined()) raise(Raised::kUndefined, "{}", self.undefined_message());
  if (!self.is_dict()) raise(Raised::kOther, "'{}' object has no attribute 'items'", type_name(self));
  const std::size_t which = by == "key" ? 0 : 1;
  auto keyed = sorted(rt, dict_view(rt, ViewKind::kItems, self), reverse,
                      [&](const Value& pair) { return folded(rt, pair.items()[which], case_sensitive); });
  return list_of(rt, std::move(keyed), self.provenance());
}

Value extreme(Runtime& rt, const Value& self, Bound& args, bool largest) {
  const bool case_sensitive = args.truthy(rt, 0, false);
  const std::vector<Value> path = path_parts(rt, args.get(1) ? args[1] : Value());
  Value best, best_key;
  for_each(rt, self, [&](const Value& item) {
    Value key = folded(rt, follow(rt, item, path), case_sensitive);
    if (best.is_missing() || (largest ? compare(rt, Op::kGt, key, best_key) : less(rt, key, best_key))) {
      best = item;
      best_key = std::move(key);
    }
    return true;
  });
  return best.is_missing() ? Value::undefined_because("No aggregated item, sequence was empty.") : best;
}

Value smallest(Runtime& rt, const Value& self, Bound& args) { return extreme(rt, self, args, false); }
Value largest(Runtime& rt, const Value& self, Bound& args) { return extreme(rt, self, args, true); }

// A pair (grouper, list) whose parts have these names too.
class Group final : public Object {
 public:
  explicit Group(Value pair) : pair_(std::move(pair)) { depth = pair_.depth() + 1; }
  std::string type_name() const override { return "_GroupTuple"; }
  std::string described() const override { return "jinja2.filters._GroupTuple object"; }
  std::string repr(Runtime& rt) override { return to_repr(rt, pair_).bytes(); }
  bool is_sequence() const override { return true; }
  std::optional<std::size_t> length(Runtime&) override { return 2; }
  bool iterable() const override { return true; }
  std::unique_ptr<Iterator> iterate(Runtime& rt) override { return jinja::iterate(rt, pair_); }
  std::optional<Value> attribute(Runtime&, std::string_view name) override {
    if (name == "grouper") return pair_.items()[0];
    if (name == "list") return pair_.items()[1];
    return std::nullopt;
  }
  std::optional<Value> item(Runtime&, const Value& key) override {
    if (!key.is_integral() || key.as_int() < -2 || key.as_int() > 1) return std::nullopt;
    return pair_.items()[static_cast<std::size_t>(key.as_int() + (key.as_int() < 0 ? 2 : 0))];
  }

 private:
  Value pair_;
};

Value group_by(Runtime& rt, const Value& self, Bound& args) {
  const std::vector<Value> path = path_parts(rt, args[0]);
  const Value* otherwise = args.given(1);
  const bool case_sensitive = args.truthy(rt, 2, false);
  const std::vector<Keyed> keyed = sorted(rt, self, false, [&](const Value& item) {
    return folded(rt, follow(rt, item, path, otherwise), case_sensitive);
  });
  std::vector<Value> groups;
  for (std::size_t begin = 0; begin < keyed.size();) {
    std::vector<Value> members;
    std::size_t end = begin;
    for (; end < keyed.size() && (end == begin || rt.equal(keyed[end].key, keyed[begin].key)); ++end) {
      members.push_back(keyed[end].item);
    }
    const Value grouper = case_sensitive ? keyed[begin].key : follow(rt, members[0], path, otherwise);
    const Value list = rt.list(std::move(members), Provenance::kOwned);
    groups.push_back(rt.object(std::make_shared<Group>(rt.tuple({grouper, list}, Provenance::kOwned))));
    begin = end;
  }
  return rt.list(std::move(groups), Provenance::kOwned);
}

}  // namespace

Table order_filters() {
  static const Row rows[] = {
      {"sort", sort, {{"reverse"}, {"case_sensitive"}, {"attribute"}}},
      {"dictsort", dict_sort, {{"case_sensitive"}, {"by"}, {"reverse"}}},
      {"min", smallest, {{"case_sensitive"}, {"attribute"}}},
      {"max", largest, {{"case_sensitive"}, {"attribute"}}},
      {"groupby", group_by, {{"attribute", true}, {"default"}, {"case_sensitive"}}},
  };
  return rows;
}

}  // namespace kelda::jinja
