#include "jinja/interpreter.h"

#include "base/check.h"
#include "jinja/errors.h"
#include "jinja/loop.h"
#include "jinja/macro.h"
#include "jinja/repr.h"

namespace kelda::jinja {

void Buffer::append(const Text& text) {
  budget_.want(text.size());
  text_.append(text);
  charge_.grow_to(text_.memory());
}

Interpreter::~Interpreter() {
  // Values go before the frames that they may refer to.
  rt_.clear_kept();
  std::vector<Value> values;
  for (const auto& frame : frames_) {
    for (Value& slot : frame->slots) values.push_back(std::move(slot));
  }
}

Text Interpreter::run() {
  Frame& frame = new_frame(nullptr, tree_.function.n_slots);
  enter(frame, tree_.scope);
  body(frame, tree_.body);
  return std::move(out_);
}

Frame& Interpreter::new_frame(Frame* parent, int n_slots) {
  rt_.budget().step(n_slots / 8);
  rt_.budget().allocate(static_cast<std::size_t>(n_slots) * sizeof(Value) + sizeof(Frame));
  frames_.push_back(std::make_unique<Frame>(parent, n_slots, frames_.size()));
  return *frames_.back();
}

// Frees a frame that nothing refers to. Captured ones stay: macros and loops may still read them.
void Interpreter::drop_frame(Frame& frame) {
  if (frame.captured) return;
  KELDA_CHECK(frames_[frame.index].get() == &frame);
  std::swap(frames_[frame.index], frames_.back());
  std::swap(frames_[frame.index]->index, frame.index);
  const std::unique_ptr<Frame> dropped = std::move(frames_.back());
  frames_.pop_back();
  rt_.budget().release(dropped->slots.size() * sizeof(Value) + sizeof(Frame));
}

Frame& Interpreter::frame_of(Frame& frame, const VarRef& ref) const {
  Frame* f = &frame;
  for (int i = 0; i < ref.hops; ++i) f = f->parent;
  return *f;
}

void Interpreter::capture(Frame& frame) {
  for (Frame* f = &frame; f && !f->captured; f = f->parent) f->captured = true;
}

void Interpreter::enter(Frame& frame, const Scope& scope) {
  rt_.budget().step(static_cast<int64_t>(scope.slots.size() / 8));
  for (const Load& load : scope.loads) {
    Value& slot = frame.slots[static_cast<std::size_t>(load.slot)];
    switch (load.kind) {
      case Load::Kind::kMissing:
        slot = Value();
        break;
      case Load::Kind::kAlias:
        slot = frame_of(frame, load.from).slots[static_cast<std::size_t>(load.from.slot)];
        break;
      case Load::Kind::kGlobal: {
        const Value* global = globals_.as_dict().find(load.name);
        if (global) {
          slot = *global;
        } else {
          const Row* function = find_row(global_functions(), load.name);
          slot = function ? function_value(rt_, *function, Value()) : Value();
        }
        break;
      }
    }
  }
}

void Interpreter::leave(Frame& frame, const Scope& scope) {
  for (const int slot : scope.slots) frame.slots[static_cast<std::size_t>(slot)] = Value();
}

Interpreter::Flow Interpreter::body(Frame& frame, const Body& statements) {
  const Budget::Level level(rt_.budget());
  for (const Stmt* s : statements) {
    rt_.line = s->line;
    rt_.budget().step();
    const Flow flow = statement(frame, *s);
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Interpreter::Flow Interpreter::statement(Frame& frame, const Stmt& s) {
  switch (s.kind) {
    case Stmt::Kind::kOutput:
      output(frame, s);
      return Flow::kNext;
    case Stmt::Kind::kIf:
      for (const Branch& branch : s.branches) {
        if (!branch.condition || rt_.truthy(eval(frame, *branch.condition))) return body(frame, branch.body);
      }
      return Flow::kNext;
    case Stmt::Kind::kFor:
      if (!s.recursive) return loop(frame, frame, s, eval(frame, *s.exprs[0]), 0);
      write(to_text(rt_, run_recursive(s, frame, eval(frame, *s.exprs[0]), 0)));
      return Flow::kNext;
    case Stmt::Kind::kSet:
      assign(frame, *s.target, eval(frame, *s.exprs[0]));
      return Flow::kNext;
    case Stmt::Kind::kSetBlock:
      return set_block(frame, s);
    case Stmt::Kind::kMacro:
      frame_of(frame, s.ref).slots[static_cast<std::size_t>(s.ref.slot)] = macro(frame, s);
      return Flow::kNext;
    case Stmt::Kind::kCallBlock: {
      const Value caller = macro(frame, s);
      write(to_text(rt_, call(frame, *s.exprs[0], &caller)));
      return Flow::kNext;
    }
    case Stmt::Kind::kGeneration: {
      Args none;
      write(to_text(rt_, rt_.call(macro(frame, s), none)));
      return Flow::kNext;
    }
    case Stmt::Kind::kFilterBlock:
      return filter_block(frame, s);
    case Stmt::Kind::kWith:
      return scoped_body(frame, s);
    case Stmt::Kind::kBreak:
      return Flow::kBreak;
    case Stmt::Kind::kContinue:
      return Flow::kContinue;
  }
  return Flow::kNext;
}

void Interpreter::write(const Text& text) {
  if (buffer_) return buffer_->append(text);
  rt_.budget().check_output(out_.size() + text.size());
  out_.append(text);
}

void Interpreter::output(Frame& frame, const Stmt& s) {
  for (const Expr* e : s.exprs) {
    if (e->kind == Expr::Kind::kConst && e->value.is_string()) {
      rt_.budget().touch(e->value.str().size());
      write(e->value.as_text());
      continue;
    }
    const Value value = eval(frame, *e);
    if (value.is_string()) {
      rt_.budget().touch(value.str().size());
      write(value.as_text());
    } else {
      write(to_text(rt_, value));
    }
  }
}

Interpreter::Flow Interpreter::scoped_body(Frame& frame, const Stmt& s) {
  // The values see the variables around the block, the targets are inside.
  enter(frame, s.scope);
  for (std::size_t i = 0; i < s.targets.size(); ++i) assign(frame, *s.targets[i], eval(frame, *s.exprs[i]));
  const Flow flow = body(frame, s.body);
  leave(frame, s.scope);
  return flow;
}

// Runs the body of a set or filter block; its text, through the filters.
Value Interpreter::captured(Frame& frame, const Stmt& s, Flow& flow) {
  enter(frame, s.scope);
  Buffer text(rt_.budget());
  {
    const Redirect redirect(buffer_, text);
    flow = body(frame, s.body);
  }
  if (flow != Flow::kNext) return {};
  const Value whole = rt_.text(text.take());
  return s.filter ? filter_or_test(frame, *s.filter, &whole) : whole;
}

Interpreter::Flow Interpreter::set_block(Frame& frame, const Stmt& s) {
  Flow flow = Flow::kNext;
  const Value value = captured(frame, s, flow);
  if (flow == Flow::kNext) assign(frame, *s.target, value);
  leave(frame, s.scope);
  return flow;
}

Interpreter::Flow Interpreter::filter_block(Frame& frame, const Stmt& s) {
  Flow flow = Flow::kNext;
  const Value value = captured(frame, s, flow);
  if (flow == Flow::kNext) write(to_text(rt_, value));
  leave(frame, s.scope);
  return flow;
}

Value Interpreter::macro(Frame& frame, const Stmt& s) {
  capture(frame);
  return rt_.object(std::make_shared<Macro>(*this, s, frame));
}

Text Interpreter::run_macro(const Stmt& s, Frame& frame) {
  Buffer text(rt_.budget());
  const Redirect redirect(buffer_, text);
  body(frame, s.body);
  return text.take();
}

void Interpreter::assign(Frame& frame, const Expr& target, const Value& value) {
  if (target.kind == Expr::Kind::kTuple) {
    if (!is_iterable(value)) raise(Raised::kType, "cannot unpack non-iterable {} object", type_name(value));
    std::vector<Value> items;
    const std::size_t wanted = target.items.size();
    for_each(rt_, value, [&](const Value& item) {
      items.push_back(item);
      return items.size() <= wanted;
    });
    if (items.size() > wanted) raise(Raised::kValue, "too many values to unpack (expected {})", wanted);
    if (items.size() < wanted) {
      raise(Raised::kValue, "not enough values to unpack (expected {}, got {})", wanted, items.size());
    }
    for (std::size_t i = 0; i < wanted; ++i) assign(frame, *target.items[i], items[i]);
    return;
  }
  Value& slot = frame_of(frame, target.ref).slots[static_cast<std::size_t>(target.ref.slot)];
  if (target.kind == Expr::Kind::kName) {
    slot = value;
    return;
  }
  auto* space = slot.object_as<Namespace>();
  if (!space) raise(Raised::kOther, "cannot assign attribute on non-namespace object");
  space->set(rt_, target.value, value);
}

}  // namespace kelda::jinja
