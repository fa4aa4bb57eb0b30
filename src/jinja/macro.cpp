#include "jinja/macro.h"

#include "jinja/errors.h"
#include "jinja/interpreter.h"
#include "jinja/repr.h"

namespace kelda::jinja {

std::string Macro::name() const {
  return definition_.kind == Stmt::Kind::kMacro ? quote_python(definition_.name) : "None";
}

std::string Macro::repr(Runtime&) {
  return definition_.kind == Stmt::Kind::kMacro ? fmt::format("<Macro {}>", name()) : "<Macro anonymous>";
}

std::optional<Value> Macro::attribute(Runtime& rt, std::string_view wanted) {
  if (wanted == "name") {
    return definition_.kind == Stmt::Kind::kMacro ? rt.string(definition_.name, Provenance::kOwned)
                                                  : Value::none();
  }
  if (wanted == "caller") return Value::boolean(definition_.caller_slot >= 0);
  if (wanted == "catch_kwargs") return Value::boolean(definition_.kwargs_slot >= 0);
  if (wanted == "catch_varargs") return Value::boolean(definition_.varargs_slot >= 0);
  if (wanted == "arguments") {
    std::vector<Value> names;
    for (const Expr* param : definition_.params) names.push_back(rt.string(param->name, Provenance::kOwned));
    return rt.tuple(std::move(names), Provenance::kOwned);
  }
  return std::nullopt;
}

void Macro::bind(Runtime& rt, Args& args, Frame& frame) const {
  const auto& params = definition_.params;
  rt.budget().step(static_cast<int64_t>(params.size()));
  bool caller_found = false;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const bool positional = i < args.positional.size();
    if (params[i]->name == "caller") caller_found = true;
    frame.slots[static_cast<std::size_t>(params[i]->ref.slot)] =
        positional ? args.positional[i] : args.keyword.take(params[i]->name);
  }
  bind_special(rt, args, frame, caller_found);
  const std::size_t first_default = params.size() - definition_.defaults.size();
  for (std::size_t i = 0; i < params.size(); ++i) {
    const auto slot = static_cast<std::size_t>(params[i]->ref.slot);
    if (!frame.slots[slot].is_missing()) continue;
    frame.slots[slot] = i >= first_default
                            ? interpreter_.eval(frame, *definition_.defaults[i - first_default])
                            : Value::undefined_because(fmt::format("parameter {} was not provided",
                                                                   quote_python(params[i]->name)));
  }
}

void Macro::bind_special(Runtime& rt, Args& args, Frame& frame, bool caller_found) const {
  const auto slot = [&frame](int i) -> Value& { return frame.slots[static_cast<std::size_t>(i)]; };
  if (definition_.caller_slot >= 0 && !caller_found) {
    const Value caller = args.keyword.take("caller");
    slot(definition_.caller_slot) =
        caller.is_missing() || caller.is_none() ? Value::undefined_because("No caller defined") : caller;
  }
  Dict rest;  // what no parameter took
  for (const auto& [key, value] : args.keyword.items()) {
    if (!value.is_missing()) rt.set(rest, key, value);
  }
  if (definition_.kwargs_slot >= 0) {
    slot(definition_.kwargs_slot) = rt.dict(std::move(rest), Provenance::kOwned);
  } else if (rest.size() > 0) {
    if (rest.find("caller")) {
      raise(Raised::kType,
            "macro {} was invoked with two values for the special caller argument. This is most "
            "likely a bug.",
            name());
    }
    raise(Raised::kType, "macro {} takes no keyword argument {}", name(),
          quote_python(rest.items()[0].first.str()));
  }
  const std::size_t n = definition_.params.size();
  if (definition_.varargs_slot >= 0) {
    std::vector<Value> more;
    for (std::size_t i = n; i < args.positional.size(); ++i) more.push_back(args.positional[i]);
    slot(definition_.varargs_slot) = rt.tuple(std::move(more), Provenance::kOwned);
  } else if (args.positional.size() > n) {
    raise(Raised::kType, "macro {} takes not more than {} argument(s)", name(), n);
  }
}

Value Macro::call(Runtime& rt, Args& args) {
  Frame& frame = interpreter_.new_frame(&frame_, definition_.function.n_slots);
  interpreter_.enter(frame, definition_.scope);
  bind(rt, args, frame);
  Value result = rt.text(interpreter_.run_macro(definition_, frame));
  interpreter_.drop_frame(frame);
  return result;
}

void Namespace::check_name(const Value& name) {
  if (name.is_string() && name.str().starts_with('_')) {
    raise(Raised::kUndefined,
          "Chat templates cannot store underscore-prefixed attributes on a namespace, but got {}. Please "
          "rename "
          "the attribute.",
          quote_python(name.str()));
  }
}

std::string Namespace::described() const {
  return "transformers.utils.chat_template_utils._cached_compile_jinja_template.<locals>.TemplateNamespace "
         "object";
}

std::string Namespace::repr(Runtime& rt) {
  const Budget::Level level(rt.budget());
  return fmt::format("<Namespace {}>", to_repr(rt, rt.dict(attributes_, Provenance::kInput)).bytes());
}

std::optional<Value> Namespace::attribute(Runtime& rt, std::string_view name) {
  return item(rt, Value::string(std::string(name), Provenance::kOwned));
}

std::optional<Value> Namespace::item(Runtime& rt, const Value& key) {
  rt.budget().step(key.weight());
  const Value* found = attributes_.find(key);
  return found ? std::optional<Value>(*found) : std::nullopt;
}

void Namespace::set(Runtime& rt, const Value& name, const Value& value) {
  check_name(name);
  const std::size_t before = attributes_.memory();
  rt.set(attributes_, name, value);
  const std::size_t after = attributes_.memory();
  if (after > before) count_more(rt.budget(), after - before);
}

}  // namespace kelda::jinja
