// Macros and namespaces.
#pragma once

#include <string>

#include "jinja/ast.h"
#include "jinja/object.h"

namespace kelda::jinja {

class Interpreter;
struct Frame;

// A macro, or the body of a call block (`caller`). Gives what its body writes.
class Macro final : public Object {
 public:
  Macro(Interpreter& interpreter, const Stmt& definition, Frame& frame)
      : interpreter_(interpreter), definition_(definition), frame_(frame) {}
  std::string type_name() const override { return "Macro"; }
  std::string described() const override { return "jinja2.runtime.Macro object"; }
  std::string repr(Runtime& rt) override;
  bool callable() const override { return true; }
  Value call(Runtime& rt, Args& args) override;
  std::optional<Value> attribute(Runtime& rt, std::string_view name) override;

 private:
  std::string name() const;  // as repr()
  void bind(Runtime& rt, Args& args, Frame& frame) const;
  void bind_special(Runtime& rt, Args& args, Frame& frame, bool caller_found) const;

  Interpreter& interpreter_;
  const Stmt& definition_;
  Frame& frame_;
};

// What a template can change: namespace(a=1), then {% set ns.a = 2 %}.
class Namespace final : public Object {
 public:
  explicit Namespace(Dict attributes) : attributes_(std::move(attributes)) {}
  std::string type_name() const override { return "TemplateNamespace"; }
  std::string described() const override;
  std::string repr(Runtime& rt) override;
  std::optional<Value> attribute(Runtime& rt, std::string_view name) override;
  std::optional<Value> item(Runtime& rt, const Value& key) override;
  void clear() override { attributes_.clear(); }
  // Throws for names that begin with an underscore.
  void set(Runtime& rt, const Value& name, const Value& value);
  static void check_name(const Value& name);

 private:
  Dict attributes_;
};

}  // namespace kelda::jinja
