// A knob is declared once, beside the code that uses it. Command-line flag, JSON field, range check, help
// text and docs/reference/knobs.md derive from that row. CONFIG: fixed by whoever runs the model.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kelda {

enum class KnobType { kFloat, kInt, kBool, kSeed, kText, kTextList, kTokenBias, kTokenIds };

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// JSON field names use '_', flags use '-': "top_p", --top-p. Numbers are always finite, whatever the bounds.
struct Knob {
  std::string_view name = {};
  KnobType type = KnobType::kFloat;
  double def = 0;              // numbers and booleans; texts and maps default to empty, a seed to "random"
  double lo = 0, hi = 0;       // inclusive range of a number, of an integer, of the bias of a token
  bool lo_open = false;        // lo itself is not allowed: (lo, hi]
  std::size_t max_items = 0;   // of a list or a map
  std::size_t max_bytes = 0;   // of each text; a text in a list has at least one byte
  std::string_view unit = {};  // "tokens", "ratio", …
  std::string_view help = {};  // one sentence or two, for people
  std::string_view def_words = {};               // shown in place of `def` where the number says little
  std::vector<std::string_view> def_texts = {};  // the default of a list of texts; of a text, one at most
  std::vector<std::string_view> (*choices)() = nullptr;  // the only texts allowed; in a list each once
};

// The key of the random draws. Empty: the caller chooses one at random and reports it.
struct Seed {
  std::optional<uint64_t> value;
  friend bool operator==(const Seed&, const Seed&) = default;
};
using TokenBias = std::map<int32_t, double>;  // added to the logit of the token with this id
using TokenIds = std::vector<int32_t>;        // in the order given, each at most once
using KnobValue =
    std::variant<double, int64_t, bool, Seed, std::string, std::vector<std::string>, TokenBias, TokenIds>;

// The values of one request, and where each came from. Unknown names and values out of range throw kUsage
// with the name, the allowed range and, where one is near, "did you mean". A setter that throws changes
// nothing.
class Knobs {
 public:
  // `known` outlives this object; names are unique.
  explicit Knobs(std::span<const Knob* const> known);

  // source: "default", "flag", "request", "generation_config", …; shown by explain.
  void set(std::string_view name, KnobValue value, std::string_view source);
  // Parses text as the knob's type: "0.7", "true", "15=-100,20=5" for a token bias, "15,20" for token ids,
  // "top_k,top_p" for a list of choices. Lists and biases add to what the same source has set before.
  void set_from_text(std::string_view name, std::string_view text, std::string_view source);
  // A JSON object of fields; unknown and duplicate fields are errors, null counts as absent. Logit bias as
  // {"id": bias} or [[id, bias], …]; a list of texts may be one text, a list of ids one id.
  void set_from_json(std::string_view json_object, std::string_view source);

  double number(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  bool boolean(std::string_view name) const;
  Seed seed(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  const std::vector<std::string>& texts(std::string_view name) const;
  const TokenBias& token_bias(std::string_view name) const;
  const TokenIds& token_ids(std::string_view name) const;
  const KnobValue& value_of(std::string_view name) const { return entry(name).value; }  // of any type
  bool is_set(std::string_view name) const;  // by anything but the default
  std::string_view source(std::string_view name) const;
  std::span<const Knob* const> known() const { return known_; }
  // The row of this name; kUsage if there is none.
  const Knob& find(std::string_view name) const;

 private:
  struct Entry {
    KnobValue value;
    std::string source;
  };
  const Entry& entry(std::string_view name) const;
  template <typename T>
  const T& value(std::string_view name) const;

  std::span<const Knob* const> known_;
  std::map<std::string, Entry, std::less<>> values_;
};

// "top_p" → "--top-p".
std::string flag_name(std::string_view knob_name);
// "(0, 1]", "[0, ∞)"; empty for types without a range.
std::string range_text(const Knob& knob);
// What a value must be: "a number in (0, 1]", "a list of at most 16 texts of 1 to 256 bytes".
std::string allowed_text(const Knob& knob);
// The default as people write it.
std::string default_text(const Knob& knob);
// A value as people write it: 0.7, true, random, "a text", 15=-100,20=5.
std::string value_text(const KnobValue& value);
// Throws kUsage: "top_p must be a number in (0, 1]; got 2".
[[noreturn]] void fail_knob(const Knob& knob, std::string_view got);

}  // namespace kelda
