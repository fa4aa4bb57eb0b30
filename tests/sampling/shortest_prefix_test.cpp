#include "sampling/shortest_prefix.h"

#include <cmath>

#include "sampling/draws.h"

namespace kelda::sampling {
namespace {

double to_best(float max, const Candidate& c) {
  return static_cast<double>(max) - static_cast<double>(c.logit);
}

TEST(ShortestPrefix, EqualsAFullSortAtAnyScale) {
  ShortestPrefix prefix;
  Weights weights;
  for (const double span : {1e-3, 0.1, 3.0, 30.0}) {
    for (const double share : {0.001, 0.3, 0.9, 0.9999}) {
      const std::vector<float> logits = some_logits(2000, span, 4);
      Candidates candidates;
      candidates.assign(logits);
      const float max = candidates.best().logit;
      weights.assign(candidates.all(), max);
      // Nearest to a distance that is not that of the best one.
      const auto distance = [&](const Candidate& c) { return std::abs(to_best(max, c) - span / 4); };
      std::vector<std::pair<double, std::size_t>> sorted;
      for (std::size_t i = 0; i < logits.size(); ++i) sorted.emplace_back(distance(candidates.all()[i]), i);
      std::sort(sorted.begin(), sorted.end());
      std::set<TokenId> expected;
      double mass = 0;
      for (const auto& [d, i] : sorted) {
        if (mass >= share * weights.total()) break;
        mass += weights.each()[i];
        expected.insert(static_cast<TokenId>(i));
      }
      prefix.keep(candidates, weights, share * weights.total(), distance);
      std::set<TokenId> kept;
      for (const Candidate& c : candidates.all()) kept.insert(c.id);
      EXPECT_EQ(kept, expected) << span << ' ' << share;
    }
  }
}

TEST(ShortestPrefix, GivesTiesToTheBetterOne) {
  ShortestPrefix prefix;
  Weights weights;
  Candidates candidates;
  const std::vector<float> logits = {0, 1, 1, 0};
  candidates.assign(logits);
  weights.assign(candidates.all(), 1);
  prefix.keep(candidates, weights, 0.5 * weights.total(), [](const Candidate&) { return 2.0; });
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidates.all()[0].id, 1);
  EXPECT_EQ(candidates.all()[1].id, 2);
}

TEST(ShortestPrefix, KeepsAllWhereTheMassIsNotReached) {
  ShortestPrefix prefix;
  Weights weights;
  Candidates candidates;
  const std::vector<float> logits = {0, 1, 2};
  candidates.assign(logits);
  weights.assign(candidates.all(), 2);
  prefix.keep(candidates, weights, 2 * weights.total(), [](const Candidate& c) { return to_best(2, c); });
  EXPECT_EQ(candidates.size(), 3u);
}

}  // namespace
}  // namespace kelda::sampling
