#include "jinja/percent_format.h"

#include <cmath>

#include "jinja/errors.h"
#include "jinja/html.h"
#include "jinja/number_format.h"
#include "jinja/repr.h"
#include "jinja/runtime.h"
#include "jinja/unicode.h"

namespace kelda::jinja {
namespace {

class Formatter {
 public:
  Formatter(Runtime& rt, const Value& format, const Value& values)
      : rt_(rt),
        format_(format.as_text()),
        all_(format.str()),
        markup_(format.is_markup()),
        values_(values) {}

  Text run() {
    std::size_t plain = 0;
    for (;;) {
      const std::size_t percent = all_.find('%', at_);
      if (percent == std::string_view::npos) break;
      out_.append(format_, plain, percent);
      at_ = percent + 1;
      provenance_ = format_.provenance(percent, percent + 1);
      rt_.budget().step(4);
      conversion();
      plain = at_;
      rt_.budget().want(2 * out_.size());
    }
    out_.append(format_, plain, all_.size());
    const std::size_t n = values_.is_tuple() ? values_.items().size() : 1;
    const bool mapping = values_.is_dict() || values_.is_list() || values_.is_undefined();
    if (used_ < n && !(mapping && !values_.is_tuple())) {
      raise(Raised::kType, "not all arguments converted during string formatting");
    }
    return std::move(out_);
  }

 private:
  char peek() const {
    if (at_ >= all_.size()) raise(Raised::kValue, "incomplete format");
    return all_[at_];
  }

  Value argument() {
    if (keyed_) return key_value_;
    if (values_.is_tuple()) {
      if (used_ >= values_.items().size()) raise(Raised::kType, "not enough arguments for format string");
      return values_.items()[used_++];
    }
    if (used_ > 0) raise(Raised::kType, "not enough arguments for format string");
    ++used_;
    return values_;
  }

  void key() {
    const std::size_t close = all_.find(')', at_);
    if (!values_.is_dict()) raise(Raised::kType, "format requires a mapping");
    if (close == std::string_view::npos) raise(Raised::kValue, "incomplete format key");
    const std::string_view name = all_.substr(at_ + 1, close - at_ - 1);
    const Value* found = values_.as_dict().find(name);
    if (!found) raise(Raised::kLookup, "{}", quote_python(name));
    key_value_ = *found;
    keyed_ = true;
    used_ = 1;
    at_ = close + 1;
  }

  int64_t count() {
    if (peek() == '*') {
      ++at_;
      const Value v = argument();
      if (!v.is_integral()) raise(Raised::kType, "* wants int");
      if (v.as_int() < -INT32_MAX || v.as_int() > INT32_MAX) raise(Raised::kOverflow, "width too big");
      provenance_ = both(provenance_, v.provenance());
      return v.as_int();
    }
    int64_t n = 0;
    while (peek() >= '0' && peek() <= '9') {
      n = n * 10 + (all_[at_++] - '0');
      if (n > INT32_MAX) raise(Raised::kValue, "width too big");
    }
    return n;
  }

  void conversion() {
    FormatSpec spec;
    bool left = false, zero = false;
    keyed_ = false;
    if (peek() == '(') key();
    for (;; ++at_) {
      const char c = peek();
      if (c == '-') {
        left = true;
      } else if (c == '+') {
        spec.sign = '+';
      } else if (c == ' ') {
        spec.sign = spec.sign == '+' ? '+' : ' ';
      } else if (c == '#') {
        spec.alternate = true;
      } else if (c == '0') {
        zero = true;
      } else {
        break;
      }
    }
    spec.width = count();
    if (spec.width < 0) {
      left = true;
      spec.width = -spec.width;
    }
    if (peek() == '.') {
      ++at_;
      spec.precision = std::max<int64_t>(0, count());
    }
    if (peek() == 'h' || peek() == 'l' || peek() == 'L') ++at_;
    const std::size_t type_at = at_;
    const char type = peek();
    at_ += next_utf8(all_.substr(at_)).length;
    if (type == '%') return out_.append("%", provenance_);
    spec.type = type;
    const Value v = [&] {
      if (std::string_view("sradiuoxXeEfFgGc").find(type) != std::string_view::npos) return argument();
      raise(Raised::kValue, "unsupported format character '{}' (0x{:x}) at index {}",
            all_.substr(type_at, at_ - type_at), next_utf8(all_.substr(type_at)).code_point,
            count_chars(all_.substr(0, type_at)));
    }();
    Text body;
    if (type == 's' || type == 'r' || type == 'a') {
      body = string(v, type, spec);
    } else {
      if (zero && !left) {
        spec.fill = '0';
        spec.align = '=';
      }
      body.append(number(v, type, spec), both(provenance_, v.provenance()));
      spec.fill = ' ';
    }
    if (left) spec.align = '<';
    out_.append(pad(rt_, body, spec, '>', provenance_));
  }

  Text string(const Value& v, char type, const FormatSpec& spec) {
    Text body = type == 's' ? to_text(rt_, v) : type == 'r' ? to_repr(rt_, v) : to_ascii(rt_, v);
    if (markup_ && !(type == 's' && v.is_markup())) body = escape_html(rt_, body);
    if (spec.precision < 0) return body;
    return body.slice(0, char_offset(body.bytes(), static_cast<std::size_t>(spec.precision)));
  }

  std::string number(const Value& v, char type, FormatSpec spec) {
    if (type == 'c') {
      if (v.is_string() && v.n_chars() == 1) return std::string(v.str());
      if (!v.is_integral()) raise(Raised::kType, "%c requires int or char");
      return format_number(rt_, v, spec);
    }
    const bool real = std::string_view("eEfFgG").find(type) != std::string_view::npos;
    if (!v.is_number()) {
      if (v.is_undefined()) raise(Raised::kUndefined, "{}", v.undefined_message());
      if (real) raise(Raised::kType, "must be real number, not {}", type_name(v));
      const bool any = type == 'd' || type == 'i' || type == 'u';
      raise(Raised::kType, "%{} format: {} is required, not {}", type, any ? "a real number" : "an integer",
            type_name(v));
    }
    if (real) return format_number(rt_, v, spec);
    Value whole = v;
    if (v.is(Value::Kind::kFloat)) {
      if (type == 'x' || type == 'X' || type == 'o') {
        raise(Raised::kType, "%{} format: an integer is required, not float", type);
      }
      whole = truncate(v.as_double());
    }
    spec.type = type == 'i' || type == 'u' ? 'd' : type;
    // Precision of an integer: at least so many digits.
    const int64_t at_least = std::exchange(spec.precision, -1);
    if (at_least > 0) {
      rt_.budget().want(static_cast<std::size_t>(at_least));
      FormatSpec digits = spec;
      digits.fill = '0';
      digits.align = '=';
      const bool signed_text = spec.sign != '-' || (whole.is_integral() && whole.as_int() < 0);
      digits.width = at_least + (signed_text ? 1 : 0);
      return format_number(rt_, whole, digits);
    }
    return format_number(rt_, whole, spec);
  }

  static Value truncate(double d) {
    if (std::isnan(d)) raise(Raised::kValue, "cannot convert float NaN to integer");
    if (std::isinf(d)) raise(Raised::kOverflow, "cannot convert float infinity to integer");
    if (std::abs(d) >= 0x1p63) raise(Raised::kLimit, "an integer does not fit in 64 bits");
    return Value::integer(static_cast<int64_t>(d));
  }

  Runtime& rt_;
  const Text& format_;
  std::string_view all_;
  bool markup_;
  const Value& values_;
  std::size_t at_ = 0, used_ = 0;
  bool keyed_ = false;
  Value key_value_;
  Provenance provenance_ = Provenance::kInput;
  Text out_;
};

}  // namespace

Value percent_format(Runtime& rt, const Value& format, const Value& values) {
  rt.budget().touch(format.str().size());
  return rt.text(Formatter(rt, format, values).run(), format.is_markup());
}

}  // namespace kelda::jinja
