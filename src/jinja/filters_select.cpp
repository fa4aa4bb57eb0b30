// Filters that take or change items one by one. They are lazy, as Python's generators.
#include "jinja/attribute_path.h"
#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/iterate.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"
#include "jinja/scopes.h"

namespace kelda::jinja {
namespace {

// What a generator of this file holds. The arguments are looked at when the first item is asked for.
struct State {
  Value source;
  Args args;
  std::unique_ptr<Iterator> items;
  bool started = false;

  int depth() const {
    int d = source.depth();
    for (const Value& v : args.positional) d = std::max(d, v.depth());
    for (const auto& [key, v] : args.keyword.items()) d = std::max(d, v.depth());
    return d + 1;
  }
  std::size_t memory() const { return args.positional.size() * sizeof(Value) + args.keyword.memory(); }
};

using Change = std::function<bool(Runtime&, Value&)>;  // false: leave the item out

// Takes the arguments that are left after the first `n` to call a row with.
Args rest_of(const Args& args, std::size_t n) {
  Args rest = args;
  rest.positional.erase(rest.positional.begin(), rest.positional.begin() + static_cast<std::ptrdiff_t>(n));
  return rest;
}

std::string name_argument(const Args& args, std::size_t i, std::string_view what) {
  const Value& v = args.positional[i];
  if (!v.is_string()) raise(Raised::kOther, "No {} named {}.", what, short_repr(v));
  return std::string(v.str());
}

template <typename Prepare>
Value lazily(Runtime& rt, std::string name, const Value& self, const Args& args, Prepare prepare) {
  const auto state = std::make_shared<State>();
  state->source = self;
  state->args = args;
  const auto change = std::make_shared<Change>();
  const NextItem next = [state, change, prepare](Runtime& r, Value& out) {
    if (!state->started) {
      state->started = true;
      if (!r.truthy(state->source)) return false;
      *change = prepare(r, state->args);
      state->items = iterate(r, state->source);
    }
    if (!state->items) return false;
    while (state->items->next(r, out)) {
      r.budget().step();
      if ((*change)(r, out)) return true;
    }
    return false;
  };
  const Value made = generator(rt, std::move(name), state->depth(), next);
  made.node()->count_more(rt.budget(), 2 * state->memory());  // the change may hold them once more
  return made;
}

Change prepare_map(Runtime& rt, const Args& args) {
  const Value* attribute = args.positional.empty() ? args.keyword.find("attribute") : nullptr;
  if (attribute) {
    const std::vector<Value> path = path_parts(rt, *attribute);
    const Value* given = args.keyword.find("default");
    const Value otherwise = given ? *given : Value::none();
    for (const auto& [key, value] : args.keyword.items()) {
      if (key.str() != "attribute" && key.str() != "default") {
        raise(Raised::kOther, "Unexpected keyword argument {}", quote_python(key.str()));
      }
    }
    return [path, otherwise](Runtime& r, Value& v) {
      v = follow(r, v, path, &otherwise);
      return true;
    };
  }
  if (args.positional.empty()) raise(Raised::kOther, "map requires a filter argument");
  const std::string name = name_argument(args, 0, "filter");
  const Row* row = find_filter(name);
  if (!row) raise(Raised::kOther, "{}", unknown_filter(name));
  return [row, rest = rest_of(args, 1)](Runtime& r, Value& v) {
    v = row->call(r, v, rest);
    return true;
  };
}

// Keeps the items for which the test (of the item or of its attribute) is `wanted`.
Change prepare_select(Runtime& rt, const Args& args, bool wanted, bool by_attribute) {
  std::vector<Value> path;
  if (by_attribute) {
    if (args.positional.empty()) raise(Raised::kOther, "Missing parameter for attribute name");
    path = path_parts(rt, args.positional[0]);
  }
  const std::size_t at = by_attribute ? 1 : 0;
  if (args.positional.size() <= at) {
    return [path, wanted](Runtime& r, Value& v) { return r.truthy(follow(r, v, path)) == wanted; };
  }
  const std::string name = name_argument(args, at, "test");
  const Row* row = find_test(name);
  if (!row) raise(Raised::kOther, "{}", unknown_test(name));
  return [row, path, wanted, rest = rest_of(args, at + 1)](Runtime& r, Value& v) {
    return r.truthy(row->call(r, follow(r, v, path), rest)) == wanted;
  };
}

Value map(Runtime& rt, const Value& self, Bound& args) {
  return lazily(rt, "sync_do_map", self, args.all(), prepare_map);
}

template <bool wanted, bool by_attribute>
Value select_if(Runtime& rt, const Value& self, Bound& args) {
  return lazily(rt, "select_or_reject", self, args.all(),
                [](Runtime& r, const Args& given) { return prepare_select(r, given, wanted, by_attribute); });
}

Value unique(Runtime& rt, const Value& self, Bound& args) {
  const bool case_sensitive = args.truthy(rt, 0, false);
  const std::vector<Value> path = path_parts(rt, args.get(1) ? args[1] : Value());
  struct Seen {
    explicit Seen(Budget& budget) : charge(budget) {}
    std::unique_ptr<Iterator> items;
    Dict keys;
    Charge charge;  // of the keys
  };
  const auto seen = std::make_shared<Seen>(rt.budget());
  return gathering_generator(rt, "sync_do_unique", self.depth() + 1,
                             [seen, self, case_sensitive, path](Runtime& r, Value& out) {
                               if (!seen->items) seen->items = iterate(r, self);
                               while (seen->items->next(r, out)) {
                                 r.budget().step();
                                 Value key = follow(r, out, path);
                                 if (!case_sensitive) key = without_case(r, key);
                                 if (r.find(seen->keys, key)) continue;
                                 r.set(seen->keys, key, Value::none());
                                 seen->charge.grow_to(seen->keys.memory());
                                 return true;
                               }
                               return false;
                             });
}

Value items(Runtime& rt, const Value& self, Bound&) {
  const auto pairs = std::make_shared<std::unique_ptr<Iterator>>();
  return generator(rt, "do_items", self.depth() + 1, [pairs, self](Runtime& r, Value& out) {
    if (!*pairs) {
      if (self.is_undefined()) return false;
      if (!self.is_dict()) raise(Raised::kType, "Can only get item pairs from a mapping.");
      *pairs = iterate(r, dict_view(r, ViewKind::kItems, self));
    }
    return (*pairs)->next(r, out);
  });
}

}  // namespace

Table select_filters() {
  static const Row rows[] = {
      {"map", map, {}, true},
      {"select", select_if<true, false>, {}, true},
      {"reject", select_if<false, false>, {}, true},
      {"selectattr", select_if<true, true>, {}, true},
      {"rejectattr", select_if<false, true>, {}, true},
      {"unique", unique, {{"case_sensitive"}, {"attribute"}}},
      {"items", items, {}},
  };
  return rows;
}

}  // namespace kelda::jinja
