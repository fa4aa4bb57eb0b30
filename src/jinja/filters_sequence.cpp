// Filters on lists and other iterables.
#include "jinja/access.h"
#include "jinja/attribute_path.h"
#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/iterate.h"
#include "jinja/operators.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"
#include "jinja/text_ops.h"

namespace kelda::jinja {
namespace {

Value length(Runtime& rt, const Value& self, Bound&) {
  return Value::integer(static_cast<int64_t>(rt.length(self)));
}

Value list(Runtime& rt, const Value& self, Bound&) {
  const Provenance p = self.is_string() ? Provenance::kOwned : self.provenance();
  return rt.list(collect(rt, self), p);
}

Value first(Runtime& rt, const Value& self, Bound&) {
  Value item;
  if (iterate(rt, self)->next(rt, item)) return item;
  return Value::undefined_because("No first item, sequence was empty.");
}

Value last(Runtime& rt, const Value& self, Bound&) {
  Value item;
  if (iterate(rt, reversed(rt, self))->next(rt, item)) return item;
  return Value::undefined_because("No last item, sequence was empty.");
}

Value reverse(Runtime& rt, const Value& self, Bound&) {
  if (self.is_string()) return get_slice(rt, self, Value::none(), Value::none(), Value::integer(-1));
  const bool can = self.is_sequence() || self.is_undefined() || self.is_dict() ||
                   (self.is(Value::Kind::kObject) && self.as_object().backwards());
  if (can) return reversed(rt, self);
  if (!is_iterable(self)) raise(Raised::kOther, "argument must be iterable");
  try {
    std::vector<Value> all = collect(rt, self);
    return rt.list({all.rbegin(), all.rend()}, Provenance::kOwned);
  } catch (const Failure& failure) {
    if (failure.kind() == Raised::kType) raise(Raised::kOther, "argument must be iterable");
    throw;
  }
}

Value join(Runtime& rt, const Value& self, Bound& args) {
  const Text separator = args.get(0) ? to_text(rt, args[0]) : Text();
  const std::vector<Value> path = path_parts(rt, args.get(1) ? args[1] : Value());
  TextJoiner all(rt, separator);
  for_each(rt, self, [&](const Value& item) {
    all.add(to_text(rt, follow(rt, item, path)));
    return true;
  });
  return rt.text(all.take());
}

Value sum(Runtime& rt, const Value& self, Bound& args) {
  const std::vector<Value> path = path_parts(rt, args.get(0) ? args[0] : Value());
  Value total = args.get(1) ? args[1] : Value::integer(0);
  if (total.is_string()) raise(Raised::kType, "sum() can't sum strings [use ''.join(seq) instead]");
  for_each(rt, self, [&](const Value& item) {
    total = add(rt, total, follow(rt, item, path));
    return true;
  });
  return total;
}

Value batch(Runtime& rt, const Value& self, Bound& args) {
  const int64_t n = args.integer(0, 0);
  const Value fill = args.get(1) ? args[1] : Value::none();
  struct State {
    explicit State(Budget& budget) : charge(budget) {}
    std::unique_ptr<Iterator> items;
    std::vector<Value> group;
    Charge charge;  // of the group
  };
  const auto state = std::make_shared<State>(rt.budget());
  const int depth = std::max(self.depth(), fill.depth()) + 1;
  return gathering_generator(rt, "do_batch", depth, [state, self, n, fill](Runtime& r, Value& out) {
    if (!state->items) state->items = iterate(r, self);
    std::vector<Value>& group = state->group;
    for (Value item; state->items->next(r, item);) {
      r.budget().step();
      const bool full = static_cast<int64_t>(group.size()) == n;
      if (full) out = r.list(std::exchange(group, {}), Provenance::kOwned);
      state->charge.grow_to(2 * group.size() * sizeof(Value));
      group.push_back(std::move(item));
      if (full) return true;
    }
    if (group.empty()) return false;
    if (!fill.is_none() && static_cast<int64_t>(group.size()) < n) {
      r.budget().want_many(static_cast<uint64_t>(n), sizeof(Value));
      group.resize(static_cast<std::size_t>(n), fill);
    }
    out = r.list(std::exchange(group, {}), Provenance::kOwned);
    return true;
  });
}

Value slice(Runtime& rt, const Value& self, Bound& args) {
  const int64_t slices = args.integer(0, 0);
  const Value fill = args.get(1) ? args[1] : Value::none();
  struct State {
    Value all;
    int64_t at = -1, offset = 0;
  };
  const auto state = std::make_shared<State>();
  const int depth = std::max(self.depth(), fill.depth()) + 1;
  return gathering_generator(rt, "sync_do_slice", depth, [state, self, slices, fill](Runtime& r, Value& out) {
    if (state->at < 0) {
      state->all = r.list(collect(r, self), Provenance::kOwned);
      if (slices == 0) raise(Raised::kOther, "integer division or modulo by zero");
      state->at = 0;
    }
    if (state->at >= slices) return false;
    const std::vector<Value>& all = state->all.items();
    const auto n = static_cast<int64_t>(all.size());
    const int64_t each = n / slices, longer = n % slices, i = state->at++;
    const int64_t begin = state->offset + i * each;
    if (i < longer) ++state->offset;
    const int64_t end = state->offset + (i + 1) * each;
    std::vector<Value> part(all.begin() + begin, all.begin() + end);
    if (!fill.is_none() && i >= longer) part.push_back(fill);
    out = r.list(std::move(part), Provenance::kOwned);
    return true;
  });
}

Value random_item(Runtime&, const Value&, Bound&) {
  raise(Raised::kOther, "the filter 'random' is not available: a rendering depends on its input alone");
}

}  // namespace

Table sequence_filters() {
  static const Row rows[] = {
      {"length", length, {}},
      {"count", length, {}},
      {"list", list, {}},
      {"first", first, {}},
      {"last", last, {}},
      {"reverse", reverse, {}},
      {"join", join, {{"d"}, {"attribute"}}},
      {"sum", sum, {{"attribute"}, {"start"}}},
      {"batch", batch, {{"linecount", true}, {"fill_with"}}},
      {"slice", slice, {{"slices", true}, {"fill_with"}}},
      {"random", random_item, {}},
  };
  return rows;
}

}  // namespace kelda::jinja
