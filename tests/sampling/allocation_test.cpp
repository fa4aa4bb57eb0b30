// Memory of the draws: buffers are got on the first one and reused, and what cannot be had is an exception.
// This file replaces operator new for the whole test program, to count and to refuse.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>

#include "sampling/draws.h"

namespace {

std::atomic<int64_t> n_allocations{0};
thread_local bool refuse = false;

void* allocate_or_null(std::size_t size) noexcept {
  n_allocations.fetch_add(1, std::memory_order_relaxed);
  return refuse ? nullptr : std::malloc(size > 0 ? size : 1);
}

void* allocate(std::size_t size) {
  void* memory = allocate_or_null(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace kelda::sampling {
namespace {

constexpr std::size_t kVocab = 5000;
const std::string kEverything =
    R"({"logit_bias": {"1": 3, "9": -100}, "repetition_penalty": 1.2, "frequency_penalty": 0.3, "temperature": 1.4,
        "top_k": 3000, "top_p": 0.999, "min_p": 0.0001, "typical_p": 0.999, "top_n_sigma": 8, "xtc_probability": 0.5,
        "xtc_threshold": 0.0001, "dry_multiplier": 0.5, "no_repeat_ngram_size": 3, "bad_words": ["q"],
        "bad_strings": ["zz"]})";
const std::vector<TokenId> kPrompt = {1, 8, 2}, kGenerated = {12, 5, 12};

// Logits of which only the first `n` can be drawn.
std::vector<float> first_ones(std::size_t n, double span) {
  std::vector<float> logits = some_logits(kVocab, span);
  std::fill(logits.begin() + static_cast<std::ptrdiff_t>(n), logits.end(), -INFINITY);
  return logits;
}

TEST(Allocation, NoneAfterTheFirstDraw) {
  // The first draw has few candidates; the later ones have more of them, and flatter, than any before.
  const std::vector<float> few = first_ones(70, 12);
  const std::vector<std::vector<float>> others = {first_ones(200, 12), first_ones(1000, 6),
                                                  first_ones(kVocab, 12), first_ones(kVocab, 1),
                                                  std::vector<float>(kVocab, 0.0f)};
  const std::string all_settings[] = {
      kEverything,          R"({"temperature": 0})", R"({"top_p": 0.9})",         R"({"top_k": 500})",
      R"({"mirostat": 1})", R"({"mirostat": 2})",    R"({"dynatemp_range": 0.5})"};
  for (const std::string& settings : all_settings) {
    Chain chain(knobs_of(settings), kVocab, selftest_text());
    (void)chain.draw(few, {kPrompt, kGenerated}, {1, 0, 0});
    const int64_t before = n_allocations;
    for (uint32_t i = 0; i < others.size(); ++i) {
      (void)chain.draw(others[i], {kPrompt, kGenerated}, {1, 0, i});
      const int64_t after = n_allocations;
      ASSERT_EQ(after, before) << settings << ", draw " << i;
    }
  }
}

TEST(Allocation, OneThatFailsIsAnErrorAndTheNextDrawIsWhole) {
  const std::vector<float> logits = some_logits(kVocab);
  const History history{kPrompt, kGenerated};
  const Knobs knobs = knobs_of(kEverything);
  Chain fresh(knobs, kVocab, selftest_text()), chain(knobs, kVocab, selftest_text());
  refuse = true;
  EXPECT_THROW((void)chain.draw(logits, history, {1, 0, 0}), std::bad_alloc);
  refuse = false;
  const Draw expected = fresh.draw(logits, history, {1, 0, 0}), draw = chain.draw(logits, history, {1, 0, 0});
  EXPECT_EQ(draw.id, expected.id);
  EXPECT_EQ(draw.n_left, expected.n_left);
}

// Each sampler by itself, so that the failure is inside of it.
TEST(Allocation, SamplersLetAFailureThrough) {
  for (const std::string_view name : {"repetition_penalty", "frequency_presence", "dry", "no_repeat_ngram",
                                      "top_k", "typical_p", "top_p", "xtc", "mirostat"}) {
    const auto& all = samplers();
    const auto spec =
        std::find_if(all.begin(), all.end(), [&](const SamplerSpec* s) { return s->name == name; });
    ASSERT_NE(spec, all.end()) << name;
    const std::unique_ptr<Sampler> sampler = (*spec)->make(knobs_of(kEverything), selftest_text(), kVocab);
    Candidates candidates;
    candidates.assign(some_logits(kVocab));
    refuse = true;
    EXPECT_THROW(sampler->apply(candidates, {kPrompt, kGenerated}, {}), std::bad_alloc) << name;
    refuse = false;
    EXPECT_NO_THROW(sampler->apply(candidates, {kPrompt, kGenerated}, {})) << name;
  }
}

}  // namespace
}  // namespace kelda::sampling
