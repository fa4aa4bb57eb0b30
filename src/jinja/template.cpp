#include "jinja/template.h"

#include <new>

#include "base/quote.h"
#include "base/utf8.h"
#include "jinja/interpreter.h"
#include "jinja/parser.h"
#include "jinja/scopes.h"

namespace kelda::jinja {

struct Template::Parsed {
  std::string name;
  std::unique_ptr<Tree> tree;
};

Template::Template(const std::string& source, std::string name) {
  if (source.size() > kMaxSourceBytes) {
    throw TemplateError(name, 1,
                        fmt::format("{} bytes; a template has at most {}", source.size(), kMaxSourceBytes));
  }
  if (const auto at = first_invalid_utf8(source)) {
    throw TemplateError(name, 1, fmt::format("byte {} is not UTF-8", *at));
  }
  auto parsed = std::make_unique<Parsed>();
  parsed->name = std::move(name);
  try {
    parsed->tree = parse(source);
    resolve_scopes(*parsed->tree);
  } catch (const Failure& failure) {
    throw TemplateError(parsed->name, failure.line(), failure.message());
  }
  parsed_ = std::move(parsed);
}

Template::~Template() = default;
Template::Template(Template&&) noexcept = default;
Template& Template::operator=(Template&&) noexcept = default;

const std::string& Template::name() const { return parsed_->name; }

Rendered Template::render(const Value& globals, const Environment& environment) const {
  if (!globals.is_dict()) fail(ErrorCode::kBadInput, "a template's globals must be a dict");
  Runtime rt(environment);
  Interpreter interpreter(*parsed_->tree, globals, rt);
  try {
    Text text = interpreter.run();
    Rendered rendered;
    rendered.owned = text.owned();
    rendered.text = std::move(text).take_bytes();
    return rendered;
  } catch (const Failure& failure) {
    if (failure.kind() == Raised::kTemplate) throw TemplateRaised(name(), rt.line, failure.message());
    throw TemplateError(name(), rt.line, failure.message());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {  // what no check foresaw is the template's fault all the same
    throw TemplateError(name(), rt.line, error.what());
  }
}

}  // namespace kelda::jinja
