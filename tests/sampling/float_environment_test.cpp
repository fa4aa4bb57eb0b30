// A host process may flush denormals or round another way: the tokens and the logprobs have the same bits.
#include <bit>

#include "sampling/draws.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

namespace kelda::sampling {
namespace {

constexpr unsigned kFlush = 0x8040, kDown = 0x2000, kUp = 0x4000, kTowardsZero = 0x6000;

// The host's setting while alive.
class Host {
 public:
  explicit Host(unsigned bits) : saved_(_mm_getcsr()) { _mm_setcsr(0x1F80 | bits); }
  ~Host() { _mm_setcsr(saved_); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  // Flags of what has happened apart.
  static unsigned now() { return _mm_getcsr() & ~0x3Fu; }

 private:
  unsigned saved_;
};

const std::vector<TokenId> kPrompt = {1, 8, 2, 8}, kGenerated = {12, 5, 12};

const std::string kSettings[] = {
    R"({})",
    R"({"temperature": 0.7, "top_p": 0.9})",
    R"({"temperature": 1.3, "min_p": 0.01, "repetition_penalty": 1.1, "frequency_penalty": 0.3})",
    R"({"top_k": 40, "logit_bias": {"3": 0.1}})",
    R"({"temperature": 1e-310})",
    R"({"temperature": 5e-324, "top_p": 5e-324})",
    R"({"min_p": 5e-324})",
};

// Everything a request gets to see, as bits.
std::vector<uint64_t> outcome(const Knobs& knobs, const std::vector<float>& logits) {
  std::vector<uint64_t> bits;
  const History history{kPrompt, kGenerated};
  Chain chain(knobs, logits.size());
  for (const Candidate& c : chain.apply(logits, history).all()) {
    bits.push_back(static_cast<uint64_t>(c.id) << 32 | std::bit_cast<uint32_t>(c.logit));
  }
  for (uint32_t i = 0; i < 40; ++i) {
    const Draw draw = chain.draw(logits, history, {5, 0, i});
    bits.insert(bits.end(),
                {static_cast<uint64_t>(draw.id), std::bit_cast<uint64_t>(draw.uniform), draw.n_left});
  }
  for (TokenId id = 0; id < 50; ++id) bits.push_back(std::bit_cast<uint64_t>(logprob(logits, id)));
  for (const TokenLogprob& t : top_logprobs(logits, 20)) {
    bits.insert(bits.end(), {static_cast<uint64_t>(t.id), std::bit_cast<uint64_t>(t.logprob)});
  }
  return bits;
}

TEST(FloatEnvironment, OfTheHostChangesNoBit) {
  for (const std::string& settings : kSettings) {
    for (const double span : {12.0, 1e-39}) {  // the second: logits that are denormal
      const std::vector<float> logits = some_logits(3000, span);
      const Knobs knobs = knobs_of(settings);
      const std::vector<uint64_t> expected = outcome(knobs, logits);
      for (const unsigned bits : {kFlush, kDown, kUp, kTowardsZero, kFlush | kUp}) {
        const Host host(bits);
        const unsigned before = Host::now();
        const bool equal = outcome(knobs, logits) == expected;
        const unsigned after = Host::now();
        EXPECT_TRUE(equal) << settings << ", logits within " << span << ", setting " << bits;
        EXPECT_EQ(after, before) << "the host gets its setting back";
      }
    }
  }
}

TEST(FloatEnvironment, OfTheHostChangesNoNotice) {
  const Knobs knobs = knobs_of(R"({"temperature": 5e-324, "top_p": 0.5})");
  ASSERT_TRUE(notices(knobs).empty());
  const Host host(kFlush);
  EXPECT_TRUE(notices(knobs).empty()) << "the temperature is not 0";
}

}  // namespace
}  // namespace kelda::sampling
#endif
