// DRY, "don't repeat yourself": a token that would go on with a repetition is made less likely, the more so
// the longer the repetition is already. Source: p-e-w 2024, text-generation-webui pull request 5677. Sequence
// breakers are found in the text, as llama.cpp finds them, so that it does not matter how they are cut into
// tokens.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/math.h"
#include "sampling/oracle.h"
#include "sampling/repeats.h"
#include "sampling/sampler.h"

namespace kelda::sampling::dry {
namespace {

struct Settings {
  double multiplier, base;
  std::size_t allowed_length;
  int64_t window;
};

// Finds the last breaker of a text by reading it from its end.
class Breakers {
 public:
  Breakers(const std::vector<std::string>& texts, const TokenText& text) : bytes_(text.bytes) {
    KELDA_CHECK(texts.empty() || bytes_);
    for (const std::string& t : texts) {
      longest_ = std::max(longest_, t.size());
      reversed_.emplace_back(t.rbegin(), t.rend());
    }
  }

  // How many tokens follow the one in which the last breaker ends; all of them if there is none.
  std::size_t tokens_after(const Repeats& text) {
    if (reversed_.empty()) return text.size();
    read_.clear();
    owners_.clear();
    std::size_t at = 0;  // in read_: nothing before it is the end of a breaker
    for (std::size_t k = 0; k < text.size(); ++k) {
      const std::string bytes = bytes_(text.back(k));
      read_.append(bytes.rbegin(), bytes.rend());
      owners_.insert(owners_.end(), bytes.size(), k);
      for (; at + longest_ <= read_.size(); ++at) {
        if (ends_at(at)) return owners_[at];
      }
    }
    for (; at < read_.size(); ++at) {
      if (ends_at(at)) return owners_[at];
    }
    return text.size();
  }

  bool in(TokenId id) const {
    if (reversed_.empty()) return false;
    const std::string bytes = bytes_(id), reversed(bytes.rbegin(), bytes.rend());
    return std::any_of(reversed_.begin(), reversed_.end(),
                       [&](const std::string& b) { return reversed.find(b) != std::string::npos; });
  }

 private:
  bool ends_at(std::size_t at) const {
    return std::any_of(reversed_.begin(), reversed_.end(),
                       [&](const std::string& b) { return read_.compare(at, b.size(), b) == 0; });
  }

  std::function<std::string(TokenId)> bytes_;
  std::vector<std::string> reversed_;
  std::size_t longest_ = 0;
  std::string read_;                 // the text, last byte first
  std::vector<std::size_t> owners_;  // of each byte of it: its token, counted from the end
};

class Dry final : public Sampler {
 public:
  Dry(const Settings& settings, Breakers breakers)
      : s_(settings), log_base_(log_f64(settings.base)), breakers_(std::move(breakers)) {}

  void apply(Candidates& candidates, const History& history, const DrawKey&) override {
    if (longest_.size() != candidates.vocab_size()) longest_.assign(candidates.vocab_size(), 0);
    text_.assign(history.last(s_.window));
    const std::size_t limit = breakers_.tokens_after(text_);
    if (limit < s_.allowed_length) return;
    for (std::size_t k = 1; k < text_.size(); ++k) {
      const std::size_t length = std::min(text_.repeated_before(k), limit);
      uint32_t* longest = length < s_.allowed_length ? nullptr : of(text_.back(k - 1));
      if (longest != nullptr) *longest = std::max(*longest, static_cast<uint32_t>(length));
    }
    for (std::size_t k = 1; k < text_.size(); ++k) {
      const TokenId id = text_.back(k - 1);
      uint32_t* longest = of(id);
      const uint32_t length =
          longest == nullptr ? 0 : std::exchange(*longest, 0);  // 0 again for the next draw
      Candidate* c = length == 0 ? nullptr : candidates.find(id);
      if (c != nullptr && !breakers_.in(id))
        c->logit = finite_logit(static_cast<double>(c->logit) - penalty(length));
    }
  }

 private:
  uint32_t* of(TokenId id) {
    const auto index = static_cast<std::size_t>(id);
    return id >= 0 && index < longest_.size() ? &longest_[index] : nullptr;
  }

  double penalty(std::size_t length) const {
    constexpr double kLargest = 700;  // of an exponent: e^700 is beyond any logit
    const double power = static_cast<double>(length - s_.allowed_length) * log_base_;
    return s_.multiplier * exp_f64(std::min(power, kLargest));
  }

  Settings s_;
  double log_base_;
  Breakers breakers_;
  Repeats text_;
  std::vector<uint32_t>
      longest_;  // by id: the longest repetition that it goes on with; all zero between draws
};

// How many tokens follow the last breaker of a text that is read forwards.
std::size_t textbook_limit(const std::vector<TokenId>& text, const TextbookPast& past, const Knobs& knobs) {
  std::string all;
  std::vector<std::size_t> begins;
  for (const TokenId id : text) {
    begins.push_back(all.size());
    all += past.text.bytes(id);
  }
  std::size_t end = 0;
  for (const std::string& breaker : knobs.texts("dry_sequence_breakers")) {
    const std::size_t at = all.rfind(breaker);
    if (at != std::string::npos) end = std::max(end, at + breaker.size());
  }
  return end == 0 ? text.size()
                  : static_cast<std::size_t>(
                        std::count_if(begins.begin(), begins.end(), [&](std::size_t b) { return b >= end; }));
}

void textbook(std::vector<TextbookToken>& tokens, const TextbookPast& past, const Knobs& knobs) {
  const std::vector<TokenId> text = oracle::text_of(past, knobs.integer("dry_window"), true);
  const std::size_t limit = textbook_limit(text, past, knobs), n = text.size();
  std::map<TokenId, std::size_t> longest;
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t length = 0;
    while (length < limit && length < j && text[j - 1 - length] == text[n - 1 - length]) ++length;
    longest[text[j]] = std::max(longest[text[j]], length);
  }
  for (TextbookToken& t : tokens) {
    const auto length = static_cast<double>(longest.count(t.id) > 0 ? longest.at(t.id) : 0);
    const auto allowed = static_cast<double>(knobs.integer("dry_allowed_length"));
    const std::string bytes = past.text.bytes(t.id);
    bool breaks = false;
    for (const std::string& breaker : knobs.texts("dry_sequence_breakers"))
      breaks |= bytes.find(breaker) != std::string::npos;
    if (length >= allowed && !breaks)
      t.logit -= knobs.number("dry_multiplier") * oracle::pow(knobs.number("dry_base"), length - allowed);
  }
}

std::vector<Knob> rows() {
  return {{.name = "dry_multiplier",
           .lo = 0,
           .hi = kUnbounded,
           .unit = "logits",
           .help = "Subtracted from the logit of a token that would go on with a repetition of "
                   "dry_allowed_length tokens. 0 = off."},
          {.name = "dry_base",
           .def = 1.75,
           .lo = 1,
           .hi = kUnbounded,
           .unit = "factor",
           .help = "By which that grows with each further token of the repetition."},
          {.name = "dry_allowed_length",
           .type = KnobType::kInt,
           .def = 2,
           .lo = 1,
           .hi = 2147483647,
           .unit = "tokens",
           .help = "Repetitions that are shorter are let pass."},
          {.name = "dry_window",
           .type = KnobType::kInt,
           .def = -1,
           .lo = -1,
           .hi = 2147483647,
           .unit = "tokens",
           .help = "How many of the last tokens are searched for repetitions. -1 = all; 0 = off."},
          {.name = "dry_sequence_breakers",
           .type = KnobType::kTextList,
           .max_items = 16,
           .max_bytes = 64,
           .help = "Texts across which no repetition is counted. An empty list: none.",
           .def_words = "newline, `:`, `\"`, `*`",
           .def_texts = {"\n", ":", "\"", "*"}}};
}

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "dry",
      .stage = Stage::kDry,
      .knobs = rows(),
      .is_on =
          [](const Knobs& knobs) {
            return knobs.number("dry_multiplier") != 0 && knobs.integer("dry_window") != 0;
          },
      .make = [](const Knobs& knobs, const TokenText& text, std::size_t) -> std::unique_ptr<Sampler> {
        const Settings settings{knobs.number("dry_multiplier"), knobs.number("dry_base"),
                                static_cast<std::size_t>(knobs.integer("dry_allowed_length")),
                                knobs.integer("dry_window")};
        return std::make_unique<Dry>(settings, Breakers(knobs.texts("dry_sequence_breakers"), text));
      },
      .textbook = textbook,
      .selftest = {R"({"dry_multiplier": 0.8})",
                   R"({"dry_multiplier": 0.5, "dry_base": 1.3, "dry_allowed_length": 1, "dry_window": 9})",
                   R"({"dry_multiplier": 0.6, "dry_allowed_length": 1, "dry_sequence_breakers": ["nm"]})"},
      .inert = [](const Knobs& knobs) -> std::vector<Inert> {
        const bool no_multiplier = knobs.number("dry_multiplier") == 0;
        if (!no_multiplier && knobs.integer("dry_window") != 0) return {};
        const std::string_view why =
            no_multiplier ? "dry_multiplier is 0, which is off" : "dry_window is 0, which is off";
        return {{no_multiplier ? "dry_window" : "dry_multiplier", why},
                {"dry_base", why},
                {"dry_allowed_length", why},
                {"dry_sequence_breakers", why}};
      }};
  return spec;
}

}  // namespace kelda::sampling::dry
