#include "engine/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/quote.h"
#include "engine/engine.h"

namespace kelda {
namespace {

using Difference = Replay::Difference;

bool cut_from_outside(const Trace& trace) {
  const FinishReason reason = trace.finish.reason;
  return reason == FinishReason::kTime || reason == FinishReason::kCancelled ||
         reason == FinishReason::kError;
}

std::string words(const Trace::Finish& f) {
  std::string text(name(f.reason));
  if (f.rule != StopRule::kNone) text += fmt::format(" ({})", name(f.rule));
  if (!f.stop.empty()) text += fmt::format(" at {}", quote(f.stop));
  if (!f.error.empty()) text += fmt::format(": {}", escape_controls(f.error));
  return text;
}

std::string words(const Trace::Logit& l) {
  return fmt::format("token {} with {} ({})", l.id, hex_float(l.logit), l.logit);
}

std::string words(const std::optional<double>& uniform) {
  return uniform ? fmt::format("by the random number {}", *uniform) : std::string("greedily");
}

// The first of the listed logits that is another one, or nullopt.
std::optional<std::string> other_logit(const Trace::Step& was, const Trace::Step& is) {
  const std::size_t n = std::min(was.top.size(), is.top.size());
  for (std::size_t i = 0; i < n; ++i) {
    const bool same = was.top[i].id == is.top[i].id &&
                      std::bit_cast<uint32_t>(was.top[i].logit) == std::bit_cast<uint32_t>(is.top[i].logit);
    if (!same) {
      return fmt::format("number {} of the likeliest was {}, and is {}", i + 1, words(was.top[i]),
                         words(is.top[i]));
    }
  }
  if (was.top.size() == is.top.size()) return std::nullopt;
  return fmt::format("the trace lists {} of the likeliest, and there are {}", was.top.size(), is.top.size());
}

// Compares a request's events with a trace as they come.
class Comparison {
 public:
  explicit Comparison(const Trace& trace) : trace_(trace) {}

  // Nothing more has to be run.
  bool over() const {
    return result_.difference != Difference::kNone ||
           (cut_from_outside(trace_) && n() == trace_.steps.size());
  }

  void see(const Event& event) {
    if (over()) return;
    if (event.token) see_step(trace_step(*event.draw));
    if (event.finish && !over()) see_finish(trace_finish(event));
  }

  const Replay& result() const { return result_; }

 private:
  std::size_t n() const { return static_cast<std::size_t>(result_.n_equal); }

  void differs(Difference difference, std::string why) {
    result_.difference = difference;
    result_.why = std::move(why);
  }

  void see_step(const Trace::Step& is) {
    if (n() == trace_.steps.size())
      return differs(Difference::kFinish,
                     fmt::format("the trace ends here by {}, and the answer goes on", words(trace_.finish)));
    const Trace::Step& was = trace_.steps[n()];
    if (const auto logit = other_logit(was, is)) return differs(Difference::kLogits, *logit);
    if (was.logits_sha256 != is.logits_sha256) {
      return differs(
          Difference::kLogits,
          fmt::format("the {} largest logits are the same, and another one is not", is.top.size()));
    }
    if (was.uniform != is.uniform) {
      return differs(Difference::kChain,
                     fmt::format("from the same logits a token was drawn {}, and is drawn {}",
                                 words(was.uniform), words(is.uniform)));
    }
    if (was.token != is.token) {
      return differs(Difference::kChain,
                     fmt::format("from the same logits token {} was drawn {}, and now token {}", was.token,
                                 words(was.uniform), is.token));
    }
    ++result_.n_equal;
  }

  void see_finish(const Trace::Finish& is) {
    const Trace::Finish& was = trace_.finish;
    if (n() < trace_.steps.size()) {
      return differs(Difference::kFinish, fmt::format("the answer ends here by {}, and the trace has {} more "
                                                      "step{}",
                                                      words(is), trace_.steps.size() - n(),
                                                      trace_.steps.size() - n() == 1 ? "" : "s"));
    }
    if (was.reason != is.reason || was.rule != is.rule || was.stop != is.stop) {
      differs(Difference::kFinish,
              fmt::format("the answer ended by {}, and ends by {}", words(was), words(is)));
    }
  }

  const Trace& trace_;
  Replay result_;
};

}  // namespace

std::string_view name(Difference difference) {
  switch (difference) {
    case Difference::kNone:
      return "none";
    case Difference::kModel:
      return "model";
    case Difference::kLogits:
      return "logits";
    case Difference::kChain:
      return "chain";
    case Difference::kFinish:
      break;
  }
  return "finish";
}

std::optional<std::string> other_model(const Trace::Model& recorded, const Trace::Model& present) {
  if (recorded.file_bytes != present.file_bytes) {
    return fmt::format("the trace is of {}, a model of {} bytes, and this one has {}", quote(recorded.name),
                       recorded.file_bytes, present.file_bytes);
  }
  if (recorded.fingerprint == present.fingerprint) return std::nullopt;
  return fmt::format("the trace is of {}, whose fingerprint is {}…, and that of this model is {}…",
                     quote(recorded.name), recorded.fingerprint.substr(0, 16),
                     present.fingerprint.substr(0, 16));
}

namespace {

void check_token(TokenId id, int64_t vocab_size, std::string_view list, std::size_t i,
                 std::string_view field) {
  if (id < vocab_size) return;
  fail(ErrorCode::kBadInput, "{}[{}]{}: token id {} is outside the vocabulary (0 to {})", list, i, field, id,
       vocab_size - 1);
}

// What the reader of the file could not know.
void check_tokens(const Trace& trace, int64_t vocab_size) {
  for (std::size_t i = 0; i < trace.prompt.size(); ++i)
    check_token(trace.prompt[i], vocab_size, "prompt", i, "");
  for (std::size_t i = 0; i < trace.steps.size(); ++i)
    check_token(trace.steps[i].token, vocab_size, "steps", i, ".token");
}

}  // namespace

Replay replay(const Trace& trace, Runner& runner) {
  check_tokens(trace, runner.model().config().vocab_size);
  Engine engine(runner, {});
  Request request{trace.prompt, trace.knobs};
  request.knobs.set("seed", Seed{trace.seed}, "trace");
  request.knobs.set("time_limit", 0.0, "trace");  // where it ends an answer depends on the machine
  request.explain = std::min(static_cast<int64_t>(kTraceTop), runner.model().config().vocab_size);
  Comparison comparison(trace);
  const RequestId id = engine.add(std::move(request)).id;
  do {
    if (comparison.over()) engine.cancel(id);
  } while (engine.step([&](const Event& event) { comparison.see(event); }));
  return comparison.result();
}

}  // namespace kelda
