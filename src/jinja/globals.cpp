// The functions that every template sees.
#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/iterate.h"
#include "jinja/macro.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"
#include "jinja/strftime.h"

namespace kelda::jinja {
namespace {

Value range_function(Runtime& rt, const Value&, Bound& args) {
  const int64_t first = args.integer(0, 0);
  Provenance p = args[0].provenance();
  for (std::size_t i = 1; i < 3; ++i) {
    if (const Value* v = args.get(i)) p = both(p, v->provenance());
  }
  if (!args.get(1)) return make_range(rt, 0, first, 1, p);
  return make_range(rt, first, args.integer(1, 0), args.integer(2, 1), p);
}

// dict(mapping or pairs, **more)
Dict make_dict(Runtime& rt, const Args& args) {
  if (args.positional.size() > 1) {
    raise(Raised::kType, "dict expected at most 1 argument, got {}", args.positional.size());
  }
  Dict made;
  if (!args.positional.empty()) {
    const Value& from = args.positional[0];
    if (from.is_dict()) {
      for (const auto& [key, value] : from.as_dict().items()) rt.set(made, key, value);
    } else {
      int64_t n = 0;
      for_each(rt, from, [&](const Value& pair) {
        if (!is_iterable(pair)) {
          raise(Raised::kType, "cannot convert dictionary update sequence element #{} to a sequence", n);
        }
        const std::vector<Value> both_parts = collect(rt, pair);
        if (both_parts.size() != 2) {
          raise(Raised::kValue, "dictionary update sequence element #{} has length {}; 2 is required", n,
                both_parts.size());
        }
        rt.set(made, both_parts[0], both_parts[1]);
        ++n;
        return true;
      });
    }
  }
  for (const auto& [key, value] : args.keyword.items()) rt.set(made, key, value);
  return made;
}

Value dict_function(Runtime& rt, const Value&, Bound& args) {
  return rt.dict(make_dict(rt, args.all()), Provenance::kOwned);
}

Value namespace_function(Runtime& rt, const Value&, Bound& args) {
  Dict attributes = make_dict(rt, args.all());
  for (const auto& [key, value] : attributes.items()) Namespace::check_name(key);
  rt.budget().want(attributes.memory());
  return rt.kept(std::make_shared<Namespace>(std::move(attributes)));
}

Value raise_function(Runtime& rt, const Value&, Bound& args) {
  raise(Raised::kTemplate, "{}", to_text(rt, args[0]).bytes());
}

Value strftime_function(Runtime& rt, const Value&, Bound& args) {
  if (!args[0].is_string()) {
    raise(Raised::kType, "strftime() argument 1 must be str, not {}", type_name(args[0]));
  }
  rt.budget().touch(args[0].str().size());
  rt.budget().want(64 * args[0].str().size());
  const Provenance p = args[0].provenance();
  return rt.string(strftime(args[0].str(), rt.environment().now), p);
}

class Cycler final : public Object {
 public:
  explicit Cycler(std::vector<Value> items) : items_(std::move(items)) {}
  std::string type_name() const override { return "Cycler"; }
  std::string described() const override { return "jinja2.utils.Cycler object"; }
  std::string repr(Runtime&) override { return "<jinja2.utils.Cycler object>"; }
  std::optional<Value> attribute(Runtime& rt, std::string_view name) override;
  void clear() override { items_.clear(); }
  Value next() {
    Value v = items_[at_];
    at_ = (at_ + 1) % items_.size();
    return v;
  }
  void reset() { at_ = 0; }

 private:
  std::vector<Value> items_;
  std::size_t at_ = 0;
};

std::optional<Value> Cycler::attribute(Runtime& rt, std::string_view name) {
  static const Row rows[] = {
      {"next", [](Runtime&, const Value& self, Bound&) { return the<Cycler>(self).next(); }, {}},
      {"reset",
       [](Runtime&, const Value& self, Bound&) {
         the<Cycler>(self).reset();
         return Value::none();
       },
       {}}};
  if (name == "current") return items_[at_];
  if (name == "pos") return Value::integer(static_cast<int64_t>(at_));
  if (const Row* row = find_row(rows, name))
    return function_value(rt, *row, Value::object(shared_from_this()));
  return std::nullopt;
}

Value cycler_function(Runtime& rt, const Value&, Bound& args) {
  if (args.all().positional.empty()) raise(Raised::kOther, "at least one item has to be provided");
  return rt.kept(std::make_shared<Cycler>(args.all().positional));
}

class Joiner final : public Object {
 public:
  explicit Joiner(Value separator) : separator_(std::move(separator)) {}
  std::string type_name() const override { return "Joiner"; }
  std::string described() const override { return "jinja2.utils.Joiner object"; }
  std::string repr(Runtime&) override { return "<jinja2.utils.Joiner object>"; }
  bool callable() const override { return true; }
  Value call(Runtime& rt, Args&) override {
    if (used_) return separator_;
    used_ = true;
    return rt.text({});
  }
  void clear() override { separator_ = Value(); }

 private:
  Value separator_;
  bool used_ = false;
};

Value joiner_function(Runtime& rt, const Value&, Bound& args) {
  return rt.kept(std::make_shared<Joiner>(args.get(0) ? args[0] : rt.string(", ", Provenance::kOwned)));
}

}  // namespace

Table global_functions() {
  static const Row rows[] = {
      {"range", range_function, {{"start", true}, {"stop"}, {"step"}}},
      {"dict", dict_function, {}, true},
      {"namespace", namespace_function, {}, true},
      {"cycler", cycler_function, {}, true},
      {"joiner", joiner_function, {{"sep"}}},
      {"raise_exception", raise_function, {{"message", true}}},
      {"strftime_now", strftime_function, {{"format", true}}},
  };
  return rows;
}

}  // namespace kelda::jinja
