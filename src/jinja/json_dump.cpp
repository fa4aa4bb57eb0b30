#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/utf8.h"
#include "jinja/errors.h"
#include "jinja/json.h"
#include "jinja/limits.h"
#include "jinja/repr.h"
#include "jinja/value.h"

namespace kelda::jinja {
namespace {

class Dumper {
 public:
  Dumper(const DumpOptions& options, Budget* budget) : options_(options), budget_(budget) {}

  void dump(const Value& v, int depth) {
    if (budget_) {
      budget_->step();
      budget_->want(2 * out_.size());
    }
    switch (v.kind()) {
      case Value::Kind::kString:
        return string(v.as_text(), v.provenance());
      case Value::Kind::kList:
      case Value::Kind::kTuple:
        return array(v, depth);
      case Value::Kind::kDict:
        return object(v, depth);
      case Value::Kind::kNone:
      case Value::Kind::kBool:
      case Value::Kind::kInt:
      case Value::Kind::kBigInt:
      case Value::Kind::kFloat:
        return out_.append(scalar(v), v.provenance());
      default:
        raise(Raised::kType, "Object of type {} is not JSON serializable", type_name(v));
    }
  }
  Text take() { return std::move(out_); }

 private:
  static std::string scalar(const Value& v) {
    if (v.is_none()) return "null";
    if (v.is_bool()) return v.as_bool() ? "true" : "false";
    if (v.is(Value::Kind::kFloat)) {
      const double d = v.as_double();
      if (std::isnan(d)) return "NaN";
      if (std::isinf(d)) return d > 0 ? "Infinity" : "-Infinity";
    }
    return short_repr(v);
  }

  // What stands between the items of a container of provenance `p`.
  void between(const Text& text, Provenance p) {
    p == Provenance::kOwned ? out_.append(text) : out_.append(text.bytes(), Provenance::kInput);
  }

  void newline(int depth, Provenance p) {
    if (!options_.indent) return;
    out_.append("\n", p);
    for (int i = 0; i < depth; ++i) {
      if (budget_) budget_->want(2 * (out_.size() + options_.indent->size()));
      between(*options_.indent, p);
    }
  }

  void array(const Value& v, int depth) {
    const Provenance p = v.provenance();
    if (v.items().empty()) return out_.append("[]", p);
    out_.append("[", p);
    bool first = true;
    for (const Value& item : v.items()) {
      if (!first) between(options_.item_separator, p);
      first = false;
      newline(depth + 1, p);
      dump(item, depth + 1);
    }
    newline(depth, p);
    out_.append("]", p);
  }

  // Python turns the keys that are no strings into them.
  void key(const Value& k) {
    if (k.is_string()) return string(k.as_text(), k.provenance());
    if (k.is_none() || k.is_number()) {
      out_.append("\"", k.provenance());
      out_.append(scalar(k), k.provenance());
      return out_.append("\"", k.provenance());
    }
    raise(Raised::kType, "keys must be str, int, float, bool or None, not {}", type_name(k));
  }

  std::vector<std::size_t> order(const Dict& dict) const {
    std::vector<std::size_t> order(dict.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!options_.sort_keys) return order;
    const auto& items = dict.items();
    for (const auto& [k, value] : items) {
      const bool same = k.is_string() == items[0].first.is_string() && (k.is_string() || k.is_number());
      if (!same && items.size() > 1) {
        raise(Raised::kType, "'<' not supported between instances of '{}' and '{}'", type_name(k),
              type_name(items[0].first));
      }
    }
    std::stable_sort(order.begin(), order.end(), [&items](std::size_t a, std::size_t b) {
      const Value &x = items[a].first, &y = items[b].first;
      return x.is_string() && y.is_string() ? x.str() < y.str() : x.as_double() < y.as_double();
    });
    return order;
  }

  void object(const Value& v, int depth) {
    const Provenance p = v.provenance();
    const Dict& dict = v.as_dict();
    if (dict.size() == 0) return out_.append("{}", p);
    out_.append("{", p);
    bool first = true;
    for (const std::size_t i : order(dict)) {
      if (!first) between(options_.item_separator, p);
      first = false;
      newline(depth + 1, p);
      key(dict.items()[i].first);
      between(options_.key_separator, p);
      dump(dict.items()[i].second, depth + 1);
    }
    newline(depth, p);
    out_.append("}", p);
  }

  static const char* short_escape(uint32_t c) {
    switch (c) {
      case '"':
        return "\\\"";
      case '\\':
        return "\\\\";
      case '\n':
        return "\\n";
      case '\r':
        return "\\r";
      case '\t':
        return "\\t";
      case '\f':
        return "\\f";
      case '\b':
        return "\\b";
      default:
        return nullptr;
    }
  }

  static std::string escape(uint32_t c) {
    if (const char* known = short_escape(c)) return known;
    if (c < 0x10000) return fmt::format("\\u{:04x}", c);
    return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((c - 0x10000) >> 10),
                       0xDC00 + ((c - 0x10000) & 0x3FF));
  }

  void string(const Text& text, Provenance quotes) {
    if (budget_) budget_->walk(text.size());
    if (budget_) budget_->want(2 * (out_.size() + text.size()));
    const std::string_view all = text.bytes();
    out_.append("\"", quotes);
    std::size_t plain = 0;
    for (std::size_t at = 0; at < all.size();) {
      const auto byte = static_cast<unsigned char>(all[at]);
      const bool ascii = byte < 0x80;
      if (ascii && byte >= 0x20 && byte != '"' && byte != '\\' && !(byte == 0x7F && options_.ensure_ascii)) {
        ++at;
        continue;
      }
      const Utf8Sequence c = next_utf8(all.substr(at));
      if (ascii || options_.ensure_ascii) {
        out_.append(text, plain, at);
        const uint32_t code = c.kind == Utf8Sequence::Kind::kCharacter ? c.code_point : 0xFFFD;
        out_.append(escape(code), text.provenance(at, at + c.length));
        plain = at + c.length;
      }
      at += c.length;
    }
    out_.append(text, plain, all.size());
    out_.append("\"", quotes);
  }

  const DumpOptions& options_;
  Budget* budget_;
  Text out_;
};

}  // namespace

Text dump_json_text(const Value& value, const DumpOptions& options, Budget* budget) {
  Dumper dumper(options, budget);
  dumper.dump(value, 0);
  return dumper.take();
}

std::string dump_json(const Value& value, const DumpOptions& options) {
  return dump_json_text(value, options, nullptr).bytes();
}

}  // namespace kelda::jinja
