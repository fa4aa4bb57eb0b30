#include "context/policy.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.h"

namespace kelda::context {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"refuse", "truncate", "summarize", "split"};

// The row's choices are these names: tests hold them together.
Policy policy_of(const Knobs& knobs) {
  const auto found = std::find(kNames.begin(), kNames.end(), knobs.text("context_policy"));
  return static_cast<Policy>(std::distance(kNames.begin(), found));
}

int64_t room_of(const Knobs& knobs, int64_t window) {
  const int64_t asked = knobs.integer("answer_room"), most = knobs.integer("max_tokens"),
                least = knobs.integer("min_tokens");
  if (asked < 0) {
    if (least >= window) {
      fail(ErrorCode::kContextLength, "min_tokens is {} and the window is {}: nothing is left for the prompt",
           least, window);
    }
    return std::max(least, std::min(most, std::max<int64_t>(1, window / 4)));
  }
  if (asked == 0 && most > 0)
    fail(ErrorCode::kUsage, "answer_room is 0 and max_tokens is {}: there is no room for an answer", most);
  if (asked >= window) {
    fail(ErrorCode::kUsage, "answer_room is {} and the window is {}: nothing is left for the prompt", asked,
         window);
  }
  if (asked < least)
    fail(ErrorCode::kUsage, "min_tokens is {} and answer_room is {}, which is less", least, asked);
  return asked;
}

}  // namespace

std::string_view name(Policy policy) { return kNames[static_cast<std::size_t>(policy)]; }

void check_policy(const Knobs& knobs, bool streams) {
  const Policy policy = policy_of(knobs);
  const auto exclude = [&](std::string_view other, std::string_view why) {
    fail(ErrorCode::kUsage, "context_policy {} and {} exclude each other: {}", name(policy), other, why);
  };
  if (policy == Policy::kSplit) {
    constexpr std::string_view kWhy = "the answer is put together from those of the pieces";
    if (streams) exclude("streaming", kWhy);
    for (const std::string_view other : {"logprobs", "prompt_logprobs"})
      if (knobs.integer(other) >= 0) exclude(other, kWhy);
  }
  const bool runs_before = policy == Policy::kSummarize || policy == Policy::kSplit;
  if (runs_before && knobs.number("time_limit") > 0)
    exclude("time_limit", "the model has work to do before the answer begins");
}

Settings settings_of(const Knobs& knobs, int64_t window, bool streams) {
  check_policy(knobs, streams);
  const Policy policy = policy_of(knobs);
  return {policy, knobs.text("context_keep") == "start" ? Keep::kStart : Keep::kEnd,
          policy == Policy::kRefuse ? 0 : room_of(knobs, window), knobs.text("split_question") == "first",
          knobs.number("split_overlap")};
}

}  // namespace kelda::context
