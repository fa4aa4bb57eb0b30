// Runs any number of requests together: each step is one forward pass over a piece of every unfinished prompt
// and the last token of every running answer. What a request answers does not depend on its company
// (docs/adr/0009-equal-bits.md). One thread at a time; callers that have several put a queue in front.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/prefix_cache.h"
#include "engine/request.h"
#include "engine/runner.h"

namespace kelda {

class Running;

class Engine {
 public:
  struct Options {
    int64_t prefill_chunk = kPrefillChunk;  // prompt tokens per step over all requests, ≥ 1
    std::size_t kept_sequences = 0;         // of ended requests, for prompts that begin alike
    double (*seconds)() = nullptr;          // the clock of time limits; nullptr: the machine's steady one
  };
  // The runner outlives the engine.
  Engine(Runner& runner, const Options& options);
  ~Engine();

  struct Admitted {
    RequestId id;
    uint64_t seed;       // the one given, or one drawn now
    int64_t max_tokens;  // after clamping to the room that is left
    std::vector<std::string>
        notices;               // what was asked for and is not in effect, or was clamped: nothing silently
    PrefixLookup prefix = {};  // what of the prompt was known before, and why
  };
  // Throws kBadInput for an empty prompt or an id outside the vocabulary, kContextLength (both counts) for a
  // prompt that leaves no room, kUsage for knobs that exclude each other or ask for what the model has not.
  Admitted add(Request request);
  // Ends it at the next step with kCancelled.
  void cancel(RequestId id);

  // One forward pass; on_event is called for each request that moved, after the step is complete: if it
  // throws, nothing of the engine is lost, and the events not yet delivered come first in the next step.
  // False when there is nothing to do. Memory that runs out (the cache, or scratch for the pass) ends the
  // youngest request with kError, so that the others can go on.
  bool step(const std::function<void(const Event&)>& on_event);

  int64_t window() const { return window_; }

 private:
  // What one request has in the batch: its rows of logits are first_row and, where those of a prompt are
  // wanted, n_tokens of them.
  struct Reading {
    Running* request;
    int64_t n_tokens;
    int64_t first_row;
    bool draws;
  };
  void check_prompt(std::span<const TokenId> prompt, bool answers) const;
  // Puts what each request should read next into batch_ and readings_. now: on the clock.
  void gather(double now);
  void end_cancelled_and_late();
  void take(const Reading& reading, Matrix<const float> logits) noexcept;
  void finish(Running& r, Event& event, FinishReason reason) noexcept;
  // Drops what is kept of ended requests, one after the other, when memory runs out.
  void gather_within_memory(double now);
  void fail_youngest(ErrorCode code, const char* why) noexcept;
  void remove_finished() noexcept;
  void deliver(const std::function<void(const Event&)>& on_event);

  Runner& runner_;
  int64_t window_;
  int64_t prefill_chunk_;
  double (*now_)();
  RequestId next_id_ = 1;
  std::list<std::unique_ptr<Running>> running_;  // in order of arrival
  Batch batch_;
  std::vector<Reading> readings_;
  PrefixCache prefixes_;
  // Events not yet delivered. A step makes at most one per request, and add() keeps room for those, so that
  // no event is lost where memory runs out.
  std::vector<Event> outbox_;
};

}  // namespace kelda
