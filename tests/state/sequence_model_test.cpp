// Random operations on many sequences, held against a model that knows only what each text says. Every cache
// slot is written with the token that belongs there; whatever the blocks do, each sequence must read back its
// own text.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "base/checked.h"
#include "base/error.h"
#include "state/sequence.h"

namespace kelda {
namespace {

struct Modelled {
  std::unique_ptr<Sequence> sequence;
  std::vector<uint32_t> text;
};

class Model {
 public:
  Model(const KvShape& shape, int64_t max_tokens, unsigned seed) : cache_(shape, max_tokens), rng_(seed) {}

  void step() {
    switch (texts_.empty() ? 0 : number(0, 9)) {
      case 0:
        texts_.push_back({std::make_unique<Sequence>(cache_), {}});
        break;
      case 1:
        fork();
        break;
      case 2:
        truncate();
        break;
      case 3:
        drop();
        break;
      case 4:
        pick().sequence->truncate(pick_length_of_last_picked());
        break;
      default:
        append();
        break;
    }
    check();
  }
  void finish() {
    texts_.clear();
    for (int g = 0; g < cache_.n_groups(); ++g) EXPECT_EQ(cache_.pool(g).n_used(), 0) << "group " << g;
    EXPECT_EQ(cache_.bytes_used(), 0u);
  }
  int refused() const { return refused_; }

 private:
  int64_t number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng_);
  }
  Modelled& pick() {
    return texts_[last_ = static_cast<std::size_t>(number(0, static_cast<int64_t>(texts_.size()) - 1))];
  }
  // Truncating to the own length only gives reserved room back.
  int64_t pick_length_of_last_picked() const { return static_cast<int64_t>(texts_[last_].text.size()); }

  void fork() {
    if (texts_.size() > 12) return;
    const Modelled& from = pick();
    texts_.push_back({std::make_unique<Sequence>(from.sequence->fork()), from.text});
  }
  void drop() {
    pick();
    texts_.erase(texts_.begin() + static_cast<std::ptrdiff_t>(last_));
  }
  // Where no window has passed by.
  void truncate() {
    Modelled& t = pick();
    const int64_t n = number(0, t.sequence->length());
    if (any_hole_before(t, n)) return;
    t.sequence->truncate(n);
    t.text.resize(static_cast<std::size_t>(n));
  }
  bool any_hole_before(const Modelled& t, int64_t n) const {
    for (int g = 0; g < cache_.n_groups(); ++g) {
      const int64_t window = cache_.window(g);
      const int64_t first = window == 0 ? 0 : std::max<int64_t>(0, n - window + 1);
      if (first / kKvBlock < ceil_div(n, kKvBlock) &&
          t.sequence->blocks(g)[static_cast<std::size_t>(first / kKvBlock)] == kNoBlock) {
        return true;
      }
    }
    return false;
  }
  void append() {
    Modelled& t = pick();
    const int64_t n = number(0, 3) == 0 ? number(1, 200) : number(1, 9);
    std::vector<std::vector<BlockId>> before = tables(*t.sequence);
    std::vector<int64_t> free;
    for (int g = 0; g < cache_.n_groups(); ++g) free.push_back(cache_.pool(g).n_free());
    try {
      t.sequence->reserve(n);
    } catch (const Error& e) {
      ++refused_;
      EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory);
      EXPECT_EQ(tables(*t.sequence), before);
      for (int g = 0; g < cache_.n_groups(); ++g)
        EXPECT_EQ(cache_.pool(g).n_free(), free[static_cast<std::size_t>(g)]);
      return;
    }
    const int64_t used = number(0, 4) == 0 ? number(0, n) : n;  // sometimes less than was reserved
    for (int64_t i = 0; i < used; ++i) {
      t.text.push_back(static_cast<uint32_t>(rng_()));
      write(*t.sequence, t.sequence->length() + i, t.text.back());
    }
    t.sequence->advance(used);
  }

  std::vector<std::vector<BlockId>> tables(const Sequence& s) const {
    std::vector<std::vector<BlockId>> all;
    for (int g = 0; g < cache_.n_groups(); ++g) all.emplace_back(s.blocks(g).begin(), s.blocks(g).end());
    return all;
  }
  // Slot of position p in layer i: its place in the V rows (16 halves, of which two hold the token).
  std::byte* slot(const Sequence& s, int64_t layer, int64_t p) {
    const KvLayer kv = cache_.layer(layer);
    const BlockId b = s.blocks(kv.group)[static_cast<std::size_t>(p / kKvBlock)];
    return b == kNoBlock ? nullptr : kv.v(b, 0) + p % kKvBlock * 32;
  }
  void write(const Sequence& s, int64_t p, uint32_t token) {
    for (int64_t i = 0; i < cache_.shape().n_layers(); ++i) {
      std::byte* place = slot(s, i, p);
      ASSERT_NE(place, nullptr);
      std::memcpy(place, &token, sizeof token);
    }
  }
  void check() {
    std::vector<std::map<BlockId, int>> owners(static_cast<std::size_t>(cache_.n_groups()));
    for (const Modelled& t : texts_) {
      const Sequence& s = *t.sequence;
      ASSERT_EQ(s.length(), static_cast<int64_t>(t.text.size()));
      for (int64_t i = 0; i < cache_.shape().n_layers(); ++i) {
        const int64_t window = cache_.layer(i).window;
        for (int64_t p = window == 0 ? 0 : std::max<int64_t>(0, s.length() - window + 1); p < s.length();
             ++p) {
          const std::byte* place = slot(s, i, p);
          ASSERT_NE(place, nullptr) << "position " << p << " of " << s.length() << " has no block";
          ASSERT_EQ(std::memcmp(place, &t.text[static_cast<std::size_t>(p)], 4), 0) << "position " << p;
        }
      }
      for (int g = 0; g < cache_.n_groups(); ++g) {
        for (const BlockId b : s.blocks(g)) {
          if (b != kNoBlock) ++owners[static_cast<std::size_t>(g)][b];
        }
      }
    }
    for (int g = 0; g < cache_.n_groups(); ++g) {  // nothing leaked, nothing counted wrongly
      const auto& seen = owners[static_cast<std::size_t>(g)];
      ASSERT_EQ(cache_.pool(g).n_used(), static_cast<int64_t>(seen.size()));
      for (const auto& [block, n] : seen) ASSERT_EQ(cache_.pool(g).owners(block), n);
    }
  }

  KvCache cache_;
  std::mt19937 rng_;
  std::vector<Modelled> texts_;
  std::size_t last_ = 0;
  int refused_ = 0;
};

class RandomOperations : public testing::TestWithParam<std::vector<int64_t>> {};
INSTANTIATE_TEST_SUITE_P(Windows, RandomOperations,
                         testing::Values(std::vector<int64_t>{0}, std::vector<int64_t>{0, 100, 0},
                                         std::vector<int64_t>{64}, std::vector<int64_t>{1, 300}));

TEST_P(RandomOperations, EverySequenceReadsItsOwnText) {
  int refused = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    Model model({KvType::kF16, 1, 16, GetParam()}, 64 * 24, seed);
    for (int i = 0; i < 400; ++i) {
      model.step();
      if (HasFatalFailure()) FAIL() << "seed " << seed << " step " << i;
    }
    refused += model.refused();
    model.finish();
  }
  if (GetParam() == std::vector<int64_t>{0}) {
    EXPECT_GT(refused, 0) << "the pool was never full: refusals were not tested";
  }
}

}  // namespace
}  // namespace kelda
