// A chat template: Jinja, as Hugging Face's transformers renders it (Jinja2 3.1.6, immutable sandbox,
// trim_blocks, lstrip_blocks, loop controls, generation blocks, its own tojson), within bounds.
// docs/explain/chat-templates.md.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_span.h"
#include "jinja/errors.h"
#include "jinja/limits.h"
#include "jinja/value.h"

namespace kelda::jinja {

// What a rendering may see besides its globals.
struct Environment {
  // The local wall clock of strftime_now(): seconds since 1970-01-01 as if it were UTC.
  std::chrono::sys_time<std::chrono::microseconds> now{};
  Limits limits;
};

struct Rendered {
  std::string text;
  // The bytes of `text` that the template, or globals with Provenance::kOwned, wrote. Sorted and disjoint.
  std::vector<ByteSpan> owned;
};

// Immutable once made; may be rendered by several threads at a time.
class Template {
 public:
  // Throws TemplateError (errors.h) with the line for what is not a template, or uses an unknown filter or
  // test.
  explicit Template(const std::string& source, std::string name = "template");
  ~Template();
  Template(Template&&) noexcept;
  Template& operator=(Template&&) noexcept;

  // `globals`: a dict with the names that the template sees (messages, tools, bos_token, …). Throws
  // TemplateError, and TemplateRaised where the template itself refuses. Values made by the rendering do not
  // outlive it.
  Rendered render(const Value& globals, const Environment& environment) const;

  const std::string& name() const;

 private:
  struct Parsed;
  std::unique_ptr<const Parsed> parsed_;
};

}  // namespace kelda::jinja
