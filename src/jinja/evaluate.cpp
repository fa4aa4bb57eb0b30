#include "jinja/access.h"
#include "jinja/errors.h"
#include "jinja/interpreter.h"
#include "jinja/repr.h"
#include "jinja/scopes.h"

namespace kelda::jinja {

Value Interpreter::eval(Frame& frame, const Expr& e) {
  if (e.kind == Expr::Kind::kConst) return e.value;
  const Budget::Level level(rt_.budget());
  rt_.budget().step();
  rt_.line = e.line;
  switch (e.kind) {
    case Expr::Kind::kName:
      return variable(frame, e);
    case Expr::Kind::kTuple:
    case Expr::Kind::kList:
      return sequence(frame, e);
    case Expr::Kind::kDict:
      return dict(frame, e);
    case Expr::Kind::kUnary:
      return unary(rt_, e.op, eval(frame, *e.a));
    case Expr::Kind::kBinary: {
      const Value a = eval(frame, *e.a);
      return binary(rt_, e.op, a, eval(frame, *e.b));
    }
    case Expr::Kind::kAnd:
    case Expr::Kind::kOr: {
      Value a = eval(frame, *e.a);
      return rt_.truthy(a) == (e.kind == Expr::Kind::kOr) ? a : eval(frame, *e.b);
    }
    case Expr::Kind::kNot:
      return Value::boolean(!rt_.truthy(eval(frame, *e.a)));
    case Expr::Kind::kConcat:
      return concat(frame, e);
    case Expr::Kind::kCompare:
      return compare_chain(frame, e);
    case Expr::Kind::kCond:
      return condition(frame, e);
    case Expr::Kind::kAttr:
      return get_attribute(rt_, eval(frame, *e.a), e.value);
    case Expr::Kind::kItem: {
      const Value a = eval(frame, *e.a);
      return get_item(rt_, a, eval(frame, *e.b));
    }
    case Expr::Kind::kSlice:
      return slice(frame, e);
    case Expr::Kind::kCall:
      return call(frame, e);
    case Expr::Kind::kFilter:
    case Expr::Kind::kTest:
      return filter_or_test(frame, e);
    default:
      raise(Raised::kOther, "an expression that cannot be evaluated");
  }
}

Value Interpreter::variable(Frame& frame, const Expr& e) {
  const Value& value = frame_of(frame, e.ref).slots[static_cast<std::size_t>(e.ref.slot)];
  return value.is_missing() ? Value::undefined(e.name) : value;
}

Value Interpreter::condition(Frame& frame, const Expr& e) {
  if (rt_.truthy(eval(frame, *e.a))) return eval(frame, *e.b);
  if (e.c) return eval(frame, *e.c);
  return Value::undefined_because(fmt::format(
      "the inline if-expression on line {} evaluated to false and no else section was defined.", e.line));
}

Value Interpreter::sequence(Frame& frame, const Expr& e) {
  std::vector<Value> items;
  items.reserve(e.items.size());
  for (const Expr* item : e.items) items.push_back(eval(frame, *item));
  return e.kind == Expr::Kind::kList ? rt_.list(std::move(items), Provenance::kOwned)
                                     : rt_.tuple(std::move(items), Provenance::kOwned);
}

Value Interpreter::dict(Frame& frame, const Expr& e) {
  Dict made;
  for (std::size_t i = 0; i < e.items.size(); i += 2) {
    const Value key = eval(frame, *e.items[i]);
    rt_.set(made, key, eval(frame, *e.items[i + 1]));
  }
  return rt_.dict(std::move(made), Provenance::kOwned);
}

Value Interpreter::concat(Frame& frame, const Expr& e) {
  Text all;
  for (const Expr* item : e.items) {
    const Text text = to_text(rt_, eval(frame, *item));
    rt_.budget().want(all.size() + text.size());
    all.append(text);
  }
  return rt_.text(std::move(all));
}

Value Interpreter::compare_chain(Frame& frame, const Expr& e) {
  Value left = eval(frame, *e.a);
  for (std::size_t i = 0; i < e.ops.size(); ++i) {
    Value right = eval(frame, *e.items[i]);
    if (!compare(rt_, e.ops[i], left, right)) return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}

Value Interpreter::slice(Frame& frame, const Expr& e) {
  const Value v = eval(frame, *e.a);
  Value bounds[3];
  for (std::size_t i = 0; i < 3; ++i) bounds[i] = e.items[i] ? eval(frame, *e.items[i]) : Value::none();
  return get_slice(rt_, v, bounds[0], bounds[1], bounds[2]);
}

Args Interpreter::arguments(Frame& frame, const Expr& e) {
  Args args;
  for (const Expr* item : e.items) args.positional.push_back(eval(frame, *item));
  for (const auto& [name, item] : e.keywords) args.keyword.set(name, eval(frame, *item));
  if (e.star) {
    const Value more = eval(frame, *e.star);
    if (!is_iterable(more)) {
      raise(Raised::kType, "Value after * must be an iterable, not {}", type_name(more));
    }
    for (Value& item : collect(rt_, more)) args.positional.push_back(std::move(item));
  }
  if (e.star_star) {
    const Value more = eval(frame, *e.star_star);
    if (!more.is_dict()) raise(Raised::kType, "argument after ** must be a mapping, not {}", type_name(more));
    for (const auto& [key, item] : more.as_dict().items()) {
      if (!key.is_string()) raise(Raised::kType, "keywords must be strings");
      if (args.keyword.find(key.str())) {
        raise(Raised::kType, "got multiple values for keyword argument {}", quote_python(key.str()));
      }
      rt_.set(args.keyword, key, item);
    }
  }
  return args;
}

Value Interpreter::call(Frame& frame, const Expr& e, const Value* caller) {
  const Value callee = eval(frame, *e.a);
  Args args = arguments(frame, e);
  if (caller) {
    if (args.keyword.find("caller"))
      raise(Raised::kType, "got multiple values for keyword argument 'caller'");
    args.keyword.set("caller", *caller, Provenance::kOwned);
  }
  rt_.line = e.line;
  Value result = rt_.call(callee, args);
  rt_.line = e.line;  // a macro has lines of its own
  return result;
}

Value Interpreter::filter_or_test(Frame& frame, const Expr& e, const Value* operand) {
  // In a chain of filters on a block's text the innermost one has no operand of its own.
  Value self;
  if (e.a) {
    self = operand ? filter_or_test(frame, *e.a, operand) : eval(frame, *e.a);
  } else if (operand) {
    self = *operand;
  }
  Args args = arguments(frame, e);
  rt_.line = e.line;
  if (!e.row) {
    raise(Raised::kOther, "{}",
          e.kind == Expr::Kind::kFilter ? unknown_filter(e.name, " found") : unknown_test(e.name, " found"));
  }
  return e.row->call(rt_, self, args);
}

}  // namespace kelda::jinja
