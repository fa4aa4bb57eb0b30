// `loop`, as the body of a for loop sees it.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "jinja/ast.h"
#include "jinja/object.h"

namespace kelda::jinja {

class Interpreter;
struct Frame;

class Loop final : public Object {
 public:
  // `length`: of what is iterated, where that is known.
  Loop(Interpreter& interpreter, const Stmt& statement, Frame& outer, std::unique_ptr<Iterator> items,
       std::optional<std::size_t> length, int depth0)
      : interpreter_(interpreter),
        statement_(statement),
        outer_(outer),
        items_(std::move(items)),
        length_(length),
        depth0_(depth0) {}

  std::string type_name() const override { return "LoopContext"; }
  std::string described() const override { return "jinja2.runtime.LoopContext object"; }
  std::string repr(Runtime& rt) override;
  std::optional<Value> attribute(Runtime& rt, std::string_view name) override;
  std::optional<std::size_t> length(Runtime&) override;
  bool callable() const override { return true; }
  // Renders the body of a recursive loop with other items.
  Value call(Runtime& rt, Args& args) override;
  void clear() override;

  // Goes on to the next item.
  bool advance(Runtime& rt, Value& out);
  Value cycle(const Args& args) const;
  Value changed(Runtime& rt, const Args& args);

 private:
  bool peek(Runtime& rt);
  int64_t count(Runtime& rt);

  Interpreter& interpreter_;
  const Stmt& statement_;
  Frame& outer_;
  std::unique_ptr<Iterator> items_;
  std::optional<std::size_t> length_;
  std::deque<Value> ahead_;  // taken from items_ already
  Value before_, current_, last_changed_;
  int64_t index0_ = -1;
  int depth0_;
};

}  // namespace kelda::jinja
