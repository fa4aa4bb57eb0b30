// What selftest draws with.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "sampling/profiles.h"
#include "sampling/request_knobs.h"
#include "sampling/selftest.h"

namespace kelda::sampling {
namespace {

constexpr std::size_t kVocab = 300;  // more than one block of Weights
constexpr TokenId kBlank = kVocab - 1;

// The letters, then pairs of letters; the last one is a blank.
std::string bytes_of(TokenId id) {
  constexpr TokenId kLetters = 26;
  const auto letter = [](TokenId n) { return static_cast<char>('a' + n % kLetters); };
  if (id < 0 || id >= static_cast<TokenId>(kVocab)) return {};
  if (id == kBlank) return " ";
  if (id < kLetters) return {letter(id)};
  return {letter(7 * id), letter(11 * id + 3 + id / kLetters)};
}

// The longest token first.
std::vector<TokenId> encode(std::string_view text) {
  std::vector<TokenId> ids;
  while (!text.empty()) {
    TokenId best = -1;
    for (TokenId id = 0; id < static_cast<TokenId>(kVocab); ++id) {
      const std::string bytes = bytes_of(id);
      if (text.substr(0, bytes.size()) == bytes && (best < 0 || bytes.size() > bytes_of(best).size()))
        best = id;
    }
    KELDA_CHECK(best >= 0);  // the settings hold lower-case letters and blanks
    ids.push_back(best);
    text.remove_prefix(bytes_of(best).size());
  }
  return ids;
}

bool replaces(const SamplerSpec& spec, std::string_view settings) {
  if (spec.replaces == nullptr) return false;
  Knobs knobs(request_knobs());
  knobs.set_from_json(settings, "selftest");
  return !spec.replaces(knobs).empty();
}

// Each sampler alone and with its neighbour.
void add_samplers(const SamplerList& all, std::vector<SelftestCase>& cases) {
  const SamplerSpec* before = nullptr;
  for (const SamplerSpec* spec : all) {
    KELDA_CHECK(!spec->selftest.empty());
    for (std::size_t i = 0; i < spec->selftest.size(); ++i) {
      const std::string number = i == 0 ? "" : fmt::format(" #{}", i + 1);
      cases.push_back({std::string(spec->name) + number, {std::string(spec->selftest[i])}});
    }
    if (before != nullptr) {
      cases.push_back({fmt::format("{}, {}", before->name, spec->name),
                       {std::string(before->selftest.front()), std::string(spec->selftest.front())}});
    }
    before = spec;
  }
}

}  // namespace

// Spread over 12 logits, of both signs, in steps of 1/4: with ties everywhere, where the order of the ids
// decides.
std::vector<float> selftest_logits() {
  std::vector<float> logits(kVocab);
  for (std::size_t i = 0; i < kVocab; ++i) {
    logits[i] = static_cast<float>(std::floor(48 * uniform({20, 0, static_cast<uint32_t>(i)}, 0)) / 4 - 7);
  }
  return logits;
}

// What followed 44 and (12, 44) before is among the likeliest tokens, so that it shows whether that is
// noticed.
History selftest_history() {
  static constexpr TokenId kPrompt[] = {44, 9, 1, 8, 2, 8, 30, 31, 5, 12, 44, 18};
  static constexpr TokenId kGenerated[] = {44, 43, 12, 5, 12, 60, 12, 44};
  return {kPrompt, kGenerated};
}

const TokenText& selftest_text() {
  static const TokenText text{bytes_of, encode};
  return text;
}

std::vector<SelftestCase> selftest_cases(const SamplerList& all) {
  std::vector<SelftestCase> cases = {
      {"neutral", {}}, {"neutral, over seeds", {}, "seed"}, {"neutral, over choices", {}, "choice"}};
  add_samplers(all, cases);
  SelftestCase every{"every sampler", {}};
  std::vector<SelftestCase> replacing;
  for (const SamplerSpec* spec : all) {
    if (replaces(*spec, spec->selftest.front())) {
      replacing.push_back(
          {fmt::format("every sampler, {}", spec->name), {std::string(spec->selftest.front())}});
      for (const std::string_view settings : spec->selftest) {
        cases.push_back({fmt::format("second draw, {}", settings), {std::string(settings)}, "position", 2});
      }
    } else {
      every.settings.emplace_back(spec->selftest.front());
    }
  }
  for (SelftestCase& test : replacing) {
    test.settings.insert(test.settings.begin(), every.settings.begin(), every.settings.end());
    cases.push_back(test);
  }
  for (const std::string_view profile : profile_names()) {
    SelftestCase test{fmt::format("every sampler, profile {}", profile), every.settings};
    test.settings.push_back(fmt::format(R"({{"profile": "{}"}})", profile));
    cases.push_back(test);
  }
  cases.push_back({"second draw, every sampler", every.settings, "position", 2});
  cases.push_back(every);
  return cases;
}

}  // namespace kelda::sampling
