// Runs a resolved tree. One per rendering.
#pragma once

#include <memory>
#include <vector>

#include "jinja/ast.h"
#include "jinja/iterate.h"
#include "jinja/runtime.h"

namespace kelda::jinja {

// The variables of one function that runs. Kept to the end of the rendering if something that refers to it
// may outlive the function: a macro that was defined in it, a loop that was stored.
struct Frame {
  Frame(Frame* outer, int n_slots, std::size_t place)
      : parent(outer), slots(static_cast<std::size_t>(n_slots)), index(place) {}
  Frame* parent;
  std::vector<Value> slots;
  std::size_t index;  // in the interpreter's list
  bool captured = false;
};

// Text being written, counted while it grows.
class Buffer {
 public:
  explicit Buffer(Budget& budget) : budget_(budget), charge_(budget) {}
  void append(const Text& text);
  const Text& text() const { return text_; }
  Text take() { return std::move(text_); }

 private:
  Budget& budget_;
  Charge charge_;
  Text text_;
};

// Output into a buffer, for as long as it lives.
class Redirect {
 public:
  Redirect(Buffer*& current, Buffer& buffer) : current_(current), before_(current) { current_ = &buffer; }
  ~Redirect() { current_ = before_; }
  Redirect(const Redirect&) = delete;
  Redirect& operator=(const Redirect&) = delete;

 private:
  Buffer*& current_;
  Buffer* before_;
};

class Interpreter {
 public:
  Interpreter(const Tree& tree, const Value& globals, Runtime& rt)
      : tree_(tree), globals_(globals), rt_(rt) {}
  ~Interpreter();
  Text run();

  // For macros, loops and their iterators.
  Runtime& rt() { return rt_; }
  Value eval(Frame& frame, const Expr& e);
  void assign(Frame& frame, const Expr& target, const Value& value);
  Frame& new_frame(Frame* parent, int n_slots);
  void drop_frame(Frame& frame);
  // Keeps the frame and those around it to the end of the rendering.
  static void capture(Frame& frame);
  void enter(Frame& frame, const Scope& scope);
  static void leave(Frame& frame, const Scope& scope);
  // Runs the body of a macro or a call block, whose parameters are set, and gives what it wrote.
  Text run_macro(const Stmt& s, Frame& frame);
  // Runs a recursive loop over `iterable`, and gives what it wrote.
  Value run_recursive(const Stmt& s, Frame& outer, const Value& iterable, int depth0);

 private:
  enum class Flow { kNext, kBreak, kContinue };

  // interpreter.cpp: statements
  Flow body(Frame& frame, const Body& statements);
  Flow statement(Frame& frame, const Stmt& s);
  Flow scoped_body(Frame& frame, const Stmt& s);
  void output(Frame& frame, const Stmt& s);
  void write(const Text& text);
  Flow loop(Frame& frame, Frame& outer, const Stmt& s, const Value& iterable, int depth0);
  Flow set_block(Frame& frame, const Stmt& s);
  Flow filter_block(Frame& frame, const Stmt& s);
  Value captured(Frame& frame, const Stmt& s, Flow& flow);
  Value macro(Frame& frame, const Stmt& s);
  Frame& frame_of(Frame& frame, const VarRef& ref) const;
  std::unique_ptr<Iterator> filtered(const Stmt& s, Frame& outer, std::unique_ptr<Iterator> items);

  // evaluate.cpp: expressions
  Value variable(Frame& frame, const Expr& e);
  Value compare_chain(Frame& frame, const Expr& e);
  Value concat(Frame& frame, const Expr& e);
  Value slice(Frame& frame, const Expr& e);
  Value condition(Frame& frame, const Expr& e);
  Value sequence(Frame& frame, const Expr& e);
  Value dict(Frame& frame, const Expr& e);
  Value call(Frame& frame, const Expr& e, const Value* caller = nullptr);
  Value filter_or_test(Frame& frame, const Expr& e, const Value* operand = nullptr);
  Args arguments(Frame& frame, const Expr& e);

  const Tree& tree_;
  const Value& globals_;
  Runtime& rt_;
  std::vector<std::unique_ptr<Frame>> frames_;
  Text out_;
  Buffer* buffer_ = nullptr;  // where output goes instead of out_
};

}  // namespace kelda::jinja
