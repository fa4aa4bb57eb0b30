#include "engine/recommended.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>

#include "base/quote.h"
#include "sampling/request_knobs.h"

namespace kelda {
namespace {

constexpr std::string_view kPrefix = "general.sampling.";
constexpr double kMost = 4e9;  // where a knob has no bound

struct Row {
  std::string_view theirs, ours;
};
// Hugging Face's names, and llama.cpp's.
constexpr Row kJson[] = {
    {"temperature", "temperature"}, {"top_k", "top_k"}, {"top_p", "top_p"}, {"min_p", "min_p"}};
constexpr Row kGguf[] = {{"temp", "temperature"}, {"top_k", "top_k"}, {"top_p", "top_p"}, {"min_p", "min_p"}};

// Penalties and whatever else changes what a text may say never come from a file. With the value that
// switches each off.
struct LeftOut {
  std::string_view key;
  double off;
};
constexpr LeftOut kJsonLeftOut[] = {{"repetition_penalty", 1},
                                    {"typical_p", 1},
                                    {"epsilon_cutoff", 0},
                                    {"eta_cutoff", 0},
                                    {"no_repeat_ngram_size", 0},
                                    {"penalty_alpha", 0},
                                    {"encoder_repetition_penalty", 1},
                                    {"diversity_penalty", 0},
                                    {"top_h", 0},
                                    {"num_beams", 1},
                                    {"num_return_sequences", 1},
                                    {"num_beam_groups", 1}};
// Of saving and of how the library runs; the ids are read with the vocabulary.
constexpr std::string_view kJsonHarmless[] = {
    "_from_model_config",    "transformers_version", "bos_token_id",
    "eos_token_id",          "pad_token_id",         "use_cache",
    "cache_implementation",  "output_attentions",    "output_scores",
    "output_hidden_states",  "output_logits",        "return_dict_in_generate",
    "trust_remote_code",     "disable_compile",      "compile_config",
    "decoder_start_token_id"};
constexpr LeftOut kGgufLeftOut[] = {{"penalty_repeat", 1}, {"xtc_probability", 0}, {"mirostat", 0}};
// They say how, not whether.
constexpr std::string_view kGgufHarmless[] = {"penalty_last_n", "xtc_threshold", "mirostat_tau",
                                              "mirostat_eta"};

// A key that a file made up, for a terminal.
std::string shown(const std::string& key) {
  constexpr std::size_t kMostBytes = 60;
  const auto is_word = [](char c) {
    return c == '_' || c == '.' || std::isalnum(static_cast<unsigned char>(c));
  };
  return key.size() <= kMostBytes && std::ranges::all_of(key, is_word) ? key : quote(key, kMostBytes);
}

// A few of them; the number of the others.
void tell_unknown(const std::vector<std::string>& keys, Recommended& out) {
  constexpr std::size_t kFew = 16;
  for (std::size_t i = 0; i < std::min(kFew, keys.size()); ++i) out.left_out.push_back(shown(keys[i]));
  if (keys.size() > kFew) out.left_out.push_back(fmt::format("{} others", keys.size() - kFew));
}

const Knob& knob_of(std::string_view name) {
  const auto& rows = sampling::request_knobs();
  return **std::find_if(rows.begin(), rows.end(), [&](const Knob* k) { return k->name == name; });
}

// `number` reads a value within bounds, whole where that is asked for; `has` asks whether there is one.
template <typename Has, typename Number>
void take(std::span<const Row> rows, const Has& has, const Number& number, Recommended& out) {
  for (const Row& row : rows) {
    if (!has(row.theirs)) continue;
    const Knob& knob = knob_of(row.ours);
    const double value = number(row.theirs, knob.lo, knob.hi, knob.type == KnobType::kInt);
    if (knob.lo_open && value == knob.lo) {  // top_p 0: some mean off by it, some the likeliest token only
      out.left_out.push_back(fmt::format("{} {}", row.theirs, value));
    } else {
      out.values.emplace_back(row.ours, value);
    }
  }
}

template <typename Has, typename Number>
void tell_left_out(std::span<const LeftOut> rows, const Has& has, const Number& number, Recommended& out) {
  for (const LeftOut& row : rows) {
    if (!has(row.key)) continue;
    const double value = number(row.key, -kMost, kMost, false);
    if (value != row.off) out.left_out.push_back(fmt::format("{} {}", row.key, value));
  }
}

}  // namespace

Recommended recommended_by(const Metadata& m) {
  Recommended out;
  out.source = "general.sampling of the file";
  const auto full = [](std::string_view key) { return fmt::format("{}{}", kPrefix, key); };
  const auto has = [&](std::string_view key) { return m.has(full(key)); };
  const auto number = [&](std::string_view key, double lo, double hi, bool whole) {
    const MetadataValue* v = m.find(full(key));
    const bool is_integer = v->type_name().starts_with('u') || v->type_name().starts_with('i');
    if (!is_integer && !whole) return m.number(full(key), lo, hi);
    return static_cast<double>(m.integer(full(key), static_cast<int64_t>(std::max(lo, -kMost)),
                                         static_cast<int64_t>(std::min(hi, kMost))));
  };
  take(kGguf, has, number, out);
  tell_left_out(kGgufLeftOut, has, number, out);
  const auto is_known = [](std::string_view key) {
    return std::ranges::count(kGguf, key, &Row::theirs) +
               std::ranges::count(kGgufLeftOut, key, &LeftOut::key) + std::ranges::count(kGgufHarmless, key) >
           0;
  };
  std::vector<std::string> unknown;
  for (const auto& [key, value] : m.items()) {
    if (key.starts_with(kPrefix) && !is_known(key.substr(kPrefix.size())))
      unknown.push_back(key.substr(kPrefix.size()));
  }
  tell_unknown(unknown, out);
  return out;
}

Recommended recommended_by(models::ConfigJson& config) {
  Recommended out;
  out.source = "generation_config.json";
  const auto has = [&](std::string_view key) { return config.has(key); };
  const auto number = [&](std::string_view key, double lo, double hi, bool whole) {
    lo = std::max(lo, -kMost), hi = std::min(hi, kMost);
    if (!whole) return config.number(key, lo, hi);
    return static_cast<double>(config.integer(key, static_cast<int64_t>(lo), static_cast<int64_t>(hi)));
  };
  if (config.has("do_sample") && !config.boolean("do_sample", false)) {
    out.values.emplace_back("temperature", 0.0);
  } else {
    take(kJson, has, number, out);
  }
  tell_left_out(kJsonLeftOut, has, number, out);
  for (const std::string_view key : kJsonHarmless) config.ignore(key);
  for (const Row& row : kJson) config.ignore(row.theirs);  // of no use to who takes the likeliest token
  tell_unknown(config.unread(), out);
  return out;
}

}  // namespace kelda
