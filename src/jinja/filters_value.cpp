// Filters on any value.
#include "jinja/access.h"
#include "jinja/builtins.h"
#include "jinja/errors.h"
#include "jinja/json.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"

namespace kelda::jinja {
namespace {

Value default_value(Runtime& rt, const Value& self, Bound& args) {
  const bool replace = self.is_undefined() || (args.truthy(rt, 1, false) && !rt.truthy(self));
  if (!replace) return self;
  return args.get(0) ? args[0] : rt.text({});
}

// Looks up attributes only, never items.
Value attr(Runtime& rt, const Value& self, Bound& args) {
  if (!args[0].is_string())
    raise(Raised::kType, "attribute name must be string, not '{}'", type_name(args[0]));
  if (self.is_undefined()) raise(Raised::kUndefined, "{}", self.undefined_message());
  if (self.is_dict()) {  // a method, or what the sandbox forbids, but no key
    const Value empty = rt.dict({}, Provenance::kOwned);
    const Value found = get_attribute(rt, empty, args[0]);
    const bool nothing =
        found.is_undefined() && found.undefined_message().find(" has no attribute ") != std::string::npos;
    return nothing ? found : get_attribute(rt, self, args[0]);
  }
  return get_attribute(rt, self, args[0]);
}

Value to_json(Runtime& rt, const Value& self, Bound& args) {
  DumpOptions options;
  options.ensure_ascii = args.truthy(rt, 0, false);
  if (const Value* indent = args.given(1)) {
    if (indent->is_string()) {
      options.indent = indent->as_text();
    } else {
      const int64_t n = std::max<int64_t>(0, args.integer(1, 0));
      rt.budget().want(static_cast<std::size_t>(n));
      options.indent = Text(std::string(static_cast<std::size_t>(n), ' '), indent->provenance());
    }
    options.item_separator = Text(",", Provenance::kOwned);
  }
  if (const Value* separators = args.given(2)) {
    const bool pair = separators->is_sequence() && separators->items().size() == 2 &&
                      separators->items()[0].is_string() && separators->items()[1].is_string();
    if (!pair) raise(Raised::kValue, "separators must be a pair of strings");
    options.item_separator = separators->items()[0].as_text();
    options.key_separator = separators->items()[1].as_text();
  }
  options.sort_keys = args.truthy(rt, 3, false);
  rt.budget().step(self.weight());
  return rt.text(dump_json_text(self, options, &rt.budget()));
}

}  // namespace

Table value_filters() {
  static const Row rows[] = {
      {"default", default_value, {{"default_value"}, {"boolean"}}},
      {"d", default_value, {{"default_value"}, {"boolean"}}},
      {"attr", attr, {{"name", true}}},
      {"tojson", to_json, {{"ensure_ascii"}, {"indent"}, {"separators"}, {"sort_keys"}}},
  };
  return rows;
}

}  // namespace kelda::jinja
