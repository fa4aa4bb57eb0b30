// Values of knobs from text: flags and configuration files. The locale has no say.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/cpu.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "base/quote.h"
#include "config/knob.h"

namespace kelda {
namespace {

std::optional<double> parse_finite(std::string_view text) {
  const auto x = parse_number<double>(text);
  return x && std::isfinite(*x) ? x : std::nullopt;
}

template <typename T>
T need(const Knob& knob, std::string_view text, const std::optional<T>& x) {
  if (!x) fail_knob(knob, quote(text));
  return *x;
}

bool parse_bool(const Knob& knob, std::string_view text) {
  if (text != "true" && text != "false") fail_knob(knob, quote(text));
  return text == "true";
}

Seed parse_seed(const Knob& knob, std::string_view text) {
  if (text == "-1") return {};
  return {need(knob, text, parse_number<uint64_t>(text))};
}

std::string checked_utf8(const Knob& knob, std::string_view text) {
  try {
    (void)nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    fail_knob(knob, fmt::format("{}, which is not valid UTF-8", quote(text)));
  }
  return std::string(text);
}

// Calls take(item) for each of the items between commas, of which there is at least one; `what` they are.
template <typename List, typename Take>
void add_items(const Knob& knob, std::string_view text, std::string_view what, const List& list,
               const Take& take) {
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    take(text.substr(0, comma));
    if (more) text.remove_prefix(comma + 1);
    if (list.size() > knob.max_items) fail_knob(knob, fmt::format("more {}", what));
  }
}

// "15=-100,20=5"
void add_biases(const Knob& knob, std::string_view text, TokenBias& out) {
  add_items(knob, text, "entries", out, [&](std::string_view item) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      fail_knob(knob, fmt::format("{}, which is not id=bias", quote(item)));
    const auto id = need(knob, item, parse_number<int32_t>(item.substr(0, equals)));
    const auto bias = need(knob, item, parse_finite(item.substr(equals + 1)));
    if (!out.emplace(id, bias).second) fail_knob(knob, fmt::format("the id {} twice", id));
  });
}

// "top_k,top_p"
void add_choices(const Knob& knob, std::string_view text, std::vector<std::string>& out) {
  add_items(knob, text, "entries", out,
            [&](std::string_view item) { out.push_back(checked_utf8(knob, item)); });
}

// "15,20"
void add_ids(const Knob& knob, std::string_view text, TokenIds& out) {
  add_items(knob, text, "ids", out,
            [&](std::string_view item) { out.push_back(need(knob, item, parse_number<int32_t>(item))); });
}

KnobValue parse_value(const Knob& knob, std::string_view text, KnobValue before) {
  switch (knob.type) {
    case KnobType::kFloat:
      return need(knob, text, parse_finite(text));
    case KnobType::kInt:
      return need(knob, text, parse_number<int64_t>(text));
    case KnobType::kBool:
      return parse_bool(knob, text);
    case KnobType::kSeed:
      return parse_seed(knob, text);
    case KnobType::kText:
      return checked_utf8(knob, text);
    case KnobType::kTextList:
      if (knob.choices != nullptr) {
        add_choices(knob, text, std::get<std::vector<std::string>>(before));
      } else {
        std::get<std::vector<std::string>>(before).push_back(checked_utf8(knob, text));
      }
      break;
    case KnobType::kTokenBias:
      add_biases(knob, text, std::get<TokenBias>(before));
      break;
    case KnobType::kTokenIds:
      add_ids(knob, text, std::get<TokenIds>(before));
      break;
  }
  return before;
}

}  // namespace

void Knobs::set_from_text(std::string_view name, std::string_view text, std::string_view source) {
  const FloatEnvironment rounding;
  const Knob& knob = find(name);
  KnobValue before = entry(name).value;
  if (entry(name).source != source) {
    if (knob.type == KnobType::kTextList) before = std::vector<std::string>();
    if (knob.type == KnobType::kTokenBias) before = TokenBias();
    if (knob.type == KnobType::kTokenIds) before = TokenIds();
  }
  set(name, parse_value(knob, text, std::move(before)), source);
}

}  // namespace kelda
