#include "config/knob.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/check.h"
#include "base/cpu.h"
#include "base/did_you_mean.h"
#include "base/error.h"
#include "base/quote.h"

namespace kelda {
namespace {

constexpr double kExactIntegers = 0x1.0p53;  // bounds of integers are stored as doubles

KnobValue default_value(const Knob& knob) {
  switch (knob.type) {
    case KnobType::kFloat:
      return knob.def;
    case KnobType::kInt:
      return static_cast<int64_t>(knob.def);
    case KnobType::kBool:
      return knob.def != 0;
    case KnobType::kSeed:
      return Seed{};
    case KnobType::kText:
      return knob.def_texts.empty() ? std::string() : std::string(knob.def_texts.front());
    case KnobType::kTextList:
      return std::vector<std::string>(knob.def_texts.begin(), knob.def_texts.end());
    case KnobType::kTokenBias:
      return TokenBias();
    case KnobType::kTokenIds:
      return TokenIds();
  }
  KELDA_CHECK(false);
}

bool in_range(const Knob& knob, double x) {
  return std::isfinite(x) && (knob.lo_open ? x > knob.lo : x >= knob.lo) && x <= knob.hi;
}

void check_text(const Knob& knob, const std::string& text, bool may_be_empty) {
  if (text.empty() && !may_be_empty) fail_knob(knob, "an empty text");
  if (text.size() > knob.max_bytes) fail_knob(knob, fmt::format("a text of {} bytes", text.size()));
}

void check_choice(const Knob& knob, const std::string& text) {
  if (knob.choices == nullptr) return;
  const std::vector<std::string_view> choices = knob.choices();
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return;
  const std::string near = did_you_mean(text, choices);
  fail_knob(knob, near.empty() ? quote(text) : fmt::format("{}; did you mean \"{}\"?", quote(text), near));
}

void check_distinct(const Knob& knob, std::vector<std::string> texts) {
  if (knob.choices == nullptr) return;
  std::sort(texts.begin(), texts.end());
  const auto twice = std::adjacent_find(texts.begin(), texts.end());
  if (twice != texts.end()) fail_knob(knob, fmt::format("{} twice", quote(*twice)));
}

// The one place where values are held against their rows.
struct Check {
  const Knob& knob;

  void operator()(double& x) const {
    if (knob.type != KnobType::kFloat || !in_range(knob, x)) fail_knob(knob, fmt::format("{}", x));
    x += 0.0;  // −0 becomes 0
  }
  void operator()(int64_t& x) const {
    if (knob.type != KnobType::kInt || x < static_cast<int64_t>(knob.lo) ||
        x > static_cast<int64_t>(knob.hi)) {
      fail_knob(knob, fmt::format("{}", x));
    }
  }
  void operator()(bool& x) const {
    if (knob.type != KnobType::kBool) fail_knob(knob, x ? "true" : "false");
  }
  void operator()(Seed&) const {
    if (knob.type != KnobType::kSeed) fail_knob(knob, "a seed");
  }
  void operator()(std::string& text) const {
    if (knob.type != KnobType::kText) fail_knob(knob, fmt::format("the text {}", quote(text)));
    const bool may_be_empty = knob.def_texts.empty();
    check_text(knob, text, may_be_empty);
    if (!text.empty()) check_choice(knob, text);
  }
  void operator()(std::vector<std::string>& texts) const {
    if (knob.type != KnobType::kTextList) fail_knob(knob, "a list");
    if (texts.size() > knob.max_items) fail_knob(knob, fmt::format("{} texts", texts.size()));
    for (const std::string& text : texts) {
      check_text(knob, text, false);
      check_choice(knob, text);
    }
    check_distinct(knob, texts);
  }
  void operator()(TokenBias& biases) const {
    if (knob.type != KnobType::kTokenBias) fail_knob(knob, "a map");
    if (biases.size() > knob.max_items) fail_knob(knob, fmt::format("{} entries", biases.size()));
    for (const auto& [id, bias] : biases) {
      if (id < 0) fail_knob(knob, fmt::format("the id {}", id));
      if (!in_range(knob, bias)) fail_knob(knob, fmt::format("the bias {} for id {}", bias, id));
    }
  }
  void operator()(TokenIds& ids) const {
    if (knob.type != KnobType::kTokenIds) fail_knob(knob, "a list of ids");
    if (ids.size() > knob.max_items) fail_knob(knob, fmt::format("{} ids", ids.size()));
    std::set<int32_t> seen;
    for (const int32_t id : ids) {
      if (id < 0) fail_knob(knob, fmt::format("the id {}", id));
      if (!seen.insert(id).second) fail_knob(knob, fmt::format("the id {} twice", id));
    }
  }
};

// A whole number given for a knob that takes any number, and a number for a seed, mean what they say.
void convert(const Knob& knob, KnobValue& value) {
  const auto* integer = std::get_if<int64_t>(&value);
  if (integer == nullptr) return;
  const int64_t x = *integer;
  if (knob.type == KnobType::kFloat) value = static_cast<double>(x);
  if (knob.type == KnobType::kSeed) {
    if (x < -1) fail_knob(knob, fmt::format("{}", x));
    value = x == -1 ? Seed{} : Seed{static_cast<uint64_t>(x)};
  }
}

void check_row(const Knob& knob) {
  KELDA_CHECK(!knob.name.empty() && !knob.help.empty());
  if (knob.type == KnobType::kFloat) KELDA_CHECK(in_range(knob, knob.def));
  if (knob.type == KnobType::kText) KELDA_CHECK(knob.def_texts.size() <= 1);
  if (knob.type == KnobType::kInt) {
    KELDA_CHECK(in_range(knob, knob.def) && !knob.lo_open && knob.def == std::nearbyint(knob.def));
    KELDA_CHECK(knob.lo >= -kExactIntegers && knob.hi <= kExactIntegers);
  }
}

}  // namespace

Knobs::Knobs(std::span<const Knob* const> known) : known_(known) {
  for (const Knob* knob : known_) {
    check_row(*knob);
    const bool added = values_.emplace(knob->name, Entry{default_value(*knob), "default"}).second;
    KELDA_CHECK(added);
  }
}

const Knob& Knobs::find(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const Knob* knob : known_) {
    if (knob->name == name) return *knob;
    names.push_back(knob->name);
  }
  const std::string near = did_you_mean(name, names);
  if (near.empty()) fail(ErrorCode::kUsage, "unknown field {}", quote(name));
  fail(ErrorCode::kUsage, "unknown field {}; did you mean \"{}\"?", quote(name), near);
}

void Knobs::set(std::string_view name, KnobValue value, std::string_view source) {
  const FloatEnvironment rounding;  // a host that flushes denormals would make a small number 0
  const Knob& knob = find(name);
  convert(knob, value);
  std::visit(Check{knob}, value);
  values_.find(name)->second = {std::move(value), std::string(source)};
}

const Knobs::Entry& Knobs::entry(std::string_view name) const {
  const auto it = values_.find(name);
  KELDA_CHECK(it != values_.end());
  return it->second;
}

template <typename T>
const T& Knobs::value(std::string_view name) const {
  const T* value = std::get_if<T>(&entry(name).value);
  KELDA_CHECK(value != nullptr);
  return *value;
}

double Knobs::number(std::string_view name) const { return value<double>(name); }
int64_t Knobs::integer(std::string_view name) const { return value<int64_t>(name); }
bool Knobs::boolean(std::string_view name) const { return value<bool>(name); }
Seed Knobs::seed(std::string_view name) const { return value<Seed>(name); }
const std::string& Knobs::text(std::string_view name) const { return value<std::string>(name); }
const std::vector<std::string>& Knobs::texts(std::string_view name) const {
  return value<std::vector<std::string>>(name);
}
const TokenBias& Knobs::token_bias(std::string_view name) const { return value<TokenBias>(name); }
const TokenIds& Knobs::token_ids(std::string_view name) const { return value<TokenIds>(name); }
bool Knobs::is_set(std::string_view name) const { return entry(name).source != "default"; }
std::string_view Knobs::source(std::string_view name) const { return entry(name).source; }

}  // namespace kelda
