#include "jinja/loop.h"

#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/interpreter.h"

namespace kelda::jinja {

namespace {

Value cycle_method(Runtime&, const Value& self, Bound& args) { return the<Loop>(self).cycle(args.all()); }
Value changed_method(Runtime& rt, const Value& self, Bound& args) {
  return the<Loop>(self).changed(rt, args.all());
}

Table loop_methods() {
  static const Row rows[] = {{"cycle", cycle_method, {}, true}, {"changed", changed_method, {}, true}};
  return rows;
}

}  // namespace

bool Loop::peek(Runtime& rt) {
  if (!ahead_.empty()) return true;
  Value item;
  if (!items_ || !items_->next(rt, item)) return false;
  ahead_.push_back(std::move(item));
  return true;
}

bool Loop::advance(Runtime& rt, Value& out) {
  if (!peek(rt)) return false;
  out = std::move(ahead_.front());
  ahead_.pop_front();
  ++index0_;
  before_ = std::move(current_);
  current_ = out;
  return true;
}

int64_t Loop::count(Runtime& rt) {
  if (!length_) {
    for (Value item; items_ && items_->next(rt, item);) {
      rt.budget().step();
      rt.budget().want(2 * ahead_.size() * sizeof(Value));
      ahead_.push_back(std::move(item));
    }
    length_ = static_cast<std::size_t>(index0_ + 1) + ahead_.size();
  }
  return static_cast<int64_t>(*length_);
}

std::optional<std::size_t> Loop::length(Runtime& rt) { return static_cast<std::size_t>(count(rt)); }

std::string Loop::repr(Runtime& rt) { return fmt::format("<LoopContext {}/{}>", index0_ + 1, count(rt)); }

std::optional<Value> Loop::attribute(Runtime& rt, std::string_view name) {
  const auto integer = [](int64_t i) { return Value::integer(i); };
  if (name == "index") return integer(index0_ + 1);
  if (name == "index0") return integer(index0_);
  if (name == "first") return Value::boolean(index0_ == 0);
  if (name == "last") return Value::boolean(!peek(rt));
  if (name == "length") return integer(count(rt));
  if (name == "revindex") return integer(count(rt) - index0_);
  if (name == "revindex0") return integer(count(rt) - index0_ - 1);
  if (name == "depth") return integer(depth0_ + 1);
  if (name == "depth0") return integer(depth0_);
  if (name == "previtem") {
    return index0_ == 0 ? Value::undefined_because("there is no previous item") : before_;
  }
  if (name == "nextitem")
    return peek(rt) ? ahead_.front() : Value::undefined_because("there is no next item");
  if (const Row* method = find_row(loop_methods(), name)) {
    return function_value(rt, *method, Value::object(shared_from_this()));
  }
  return std::nullopt;
}

Value Loop::cycle(const Args& args) const {
  if (args.positional.empty()) raise(Raised::kType, "no items for cycling given");
  return args.positional[static_cast<std::size_t>(index0_) % args.positional.size()];
}

Value Loop::changed(Runtime& rt, const Args& args) {
  Value now = rt.tuple(args.positional, Provenance::kOwned);
  const bool same = !last_changed_.is_missing() && rt.equal(last_changed_, now);
  if (!same) last_changed_ = std::move(now);
  return Value::boolean(!same);
}

Value Loop::call(Runtime&, Args& args) {
  if (!statement_.recursive) {
    raise(Raised::kType, "The loop must have the 'recursive' marker to be called recursively.");
  }
  if (args.positional.size() != 1 || args.keyword.size() > 0) {
    raise(Raised::kType, "LoopContext.__call__() takes 2 positional arguments but {} were given",
          1 + args.positional.size() + args.keyword.size());
  }
  return interpreter_.run_recursive(statement_, outer_, args.positional[0], depth0_ + 1);
}

void Loop::clear() {
  items_ = nullptr;
  ahead_.clear();
  before_ = current_ = last_changed_ = Value();
}

namespace {

// Items of a loop that has an `if`: the test runs in a frame of its own.
class TestedItems final : public Iterator {
 public:
  TestedItems(Interpreter& interpreter, const Stmt& s, Frame& outer, std::unique_ptr<Iterator> items)
      : interpreter_(interpreter),
        statement_(s),
        items_(std::move(items)),
        frame_(interpreter.new_frame(&outer, s.test_function.n_slots)) {
    interpreter_.enter(frame_, s.test_scope);
  }
  ~TestedItems() override { interpreter_.drop_frame(frame_); }
  TestedItems(const TestedItems&) = delete;
  TestedItems& operator=(const TestedItems&) = delete;

  bool next(Runtime& rt, Value& out) override {
    while (items_->next(rt, out)) {
      rt.budget().step();
      interpreter_.assign(frame_, *statement_.test_target, out);
      if (rt.truthy(interpreter_.eval(frame_, *statement_.test))) return true;
    }
    return false;
  }

 private:
  Interpreter& interpreter_;
  const Stmt& statement_;
  std::unique_ptr<Iterator> items_;
  Frame& frame_;
};

}  // namespace

std::unique_ptr<Iterator> Interpreter::filtered(const Stmt& s, Frame& outer,
                                                std::unique_ptr<Iterator> items) {
  if (!s.test) return items;
  return std::make_unique<TestedItems>(*this, s, outer, std::move(items));
}

namespace {
// `loop` may have been stored in a namespace, or refer to itself: then it lives as long as the rendering, and
// so do the variables that its body and its test see.
struct KeepIfStored {
  Runtime& rt;
  Frame& outer;
  const std::shared_ptr<Loop>& object;
  ~KeepIfStored() {
    if (!object || object.use_count() <= 2) return;
    Interpreter::capture(outer);
    rt.keep(object);
  }
};
}  // namespace

// Runs the loop with its variables in `frame`; its test sees `outer`.
Interpreter::Flow Interpreter::loop(Frame& frame, Frame& outer, const Stmt& s, const Value& iterable,
                                    int depth0) {
  auto items = filtered(s, outer, iterate(rt_, iterable));
  std::shared_ptr<Loop> object;  // which takes the items, where the body looks at the loop
  decltype(items) unseen;
  if (s.loop_slot < 0) {
    unseen = std::move(items);
  } else {
    std::optional<std::size_t> length;
    if (!s.test && !iterable.is(Value::Kind::kObject)) length = rt_.length(iterable);
    if (!s.test && iterable.is(Value::Kind::kObject)) length = iterable.as_object().length(rt_);
    object = std::make_shared<Loop>(*this, s, outer, std::move(items), length, depth0);
  }
  const Value shown = object ? rt_.object(object) : Value();
  const KeepIfStored keep{rt_, outer, object};
  bool finished_one = false;
  for (Value item; object ? object->advance(rt_, item) : unseen->next(rt_, item);) {
    rt_.budget().step();
    enter(frame, s.scope);
    if (object) frame.slots[static_cast<std::size_t>(s.loop_slot)] = shown;
    assign(frame, *s.target, item);
    const Flow flow = body(frame, s.body);
    if (flow == Flow::kBreak) break;
    if (flow == Flow::kNext) finished_one = true;
  }
  // A recursive loop has a frame of its own: what was stored from inside finds the variables as they are now.
  const bool seen_later = s.recursive && frame.captured;
  if (!seen_later) leave(frame, s.scope);
  if (s.else_body.empty() || finished_one) return Flow::kNext;
  enter(frame, s.else_scope);
  const Flow flow = body(frame, s.else_body);
  leave(frame, s.else_scope);
  return flow;
}

Value Interpreter::run_recursive(const Stmt& s, Frame& outer, const Value& iterable, int depth0) {
  const Budget::Level level(rt_.budget());
  Frame& frame = new_frame(&outer, s.function.n_slots);
  Buffer text(rt_.budget());
  {
    const Redirect redirect(buffer_, text);
    loop(frame, outer, s, iterable, depth0);
  }
  drop_frame(frame);
  return rt_.text(text.take());
}

}  // namespace kelda::jinja
