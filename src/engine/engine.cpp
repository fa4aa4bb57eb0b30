#include "engine/engine.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <random>
#include <utility>

#include "base/checked.h"
#include "base/cpu.h"
#include "base/error.h"
#include "engine/running.h"
#include "sampling/request_knobs.h"

namespace kelda {
namespace {

// The request's seed, or one drawn now; told in Admitted, so that the answer can be had again.
uint64_t choose_seed(const Knobs& knobs) {
  if (const auto asked = knobs.seed("seed").value) return *asked;
  std::random_device device;
  // Below 2^53: readers of JSON keep numbers as doubles, and a rounded seed gives another answer.
  return (uint64_t{device()} << 32 | device()) >> 11;
}

constexpr const char* kNoMemory = "out of memory";  // short: a std::string holds it in itself

void set_error(Event& event, ErrorCode code, const char* why) noexcept {
  try {
    event.error = why;
    event.error_code = code;
  } catch (const std::bad_alloc&) {
    event.error = kNoMemory;
    event.error_code = ErrorCode::kOutOfMemory;
  }
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Rows of logits for the tokens of prompts in one step: a chunk's worth of them would be a vocabulary's width
// for each, hundreds of megabytes.
constexpr int64_t kPromptRows = 64;
// Alternatives that are kept for one prompt until its first event: 16 bytes each.
constexpr int64_t kPromptAlternatives = int64_t{1} << 26;

// The settings of what is told and of the least length, as far as the model and the other settings limit
// them.
void check_logprobs(const Request& request, int64_t vocab_size) {
  for (const std::string_view name : {"logprobs", "prompt_logprobs"}) {
    const int64_t n = request.knobs.integer(name);
    if (n > vocab_size)
      fail(ErrorCode::kUsage, "{} asks for {} tokens; the model has {}", name, n, vocab_size);
  }
  if (request.explain > vocab_size)
    fail(ErrorCode::kUsage, "explain asks for {} tokens; the model has {}", request.explain, vocab_size);
  const int64_t n_prompt = request.knobs.integer("prompt_logprobs");
  const auto n_tokens = static_cast<int64_t>(request.prompt.size());
  if (n_prompt > 0 && n_tokens > kPromptAlternatives / n_prompt) {
    fail(ErrorCode::kOutOfMemory,
         "prompt_logprobs {} for {} tokens are {} values to keep; at most {} are kept", n_prompt, n_tokens,
         n_prompt * n_tokens, kPromptAlternatives);
  }
}

void check_min_tokens(const Knobs& knobs, int64_t n_prompt, int64_t window) {
  const int64_t least = knobs.integer("min_tokens"), most = knobs.integer("max_tokens");
  if (least > most)
    fail(ErrorCode::kUsage, "min_tokens is {} and max_tokens is {}, which is less", least, most);
  if (least > window - n_prompt) {
    fail(ErrorCode::kContextLength,
         "min_tokens is {}, the prompt has {} tokens and the window is {}: there is no room for them", least,
         n_prompt, window);
  }
}

}  // namespace

Engine::Engine(Runner& runner, const Options& options)
    : runner_(runner),
      window_(runner.window()),
      prefill_chunk_(options.prefill_chunk),
      now_(options.seconds != nullptr ? options.seconds : steady_seconds),
      prefixes_(options.kept_sequences) {
  if (prefill_chunk_ < 1)
    fail(ErrorCode::kUsage, "prefill_chunk is {}; at least 1 is needed", prefill_chunk_);
}

Engine::~Engine() = default;

void Engine::check_prompt(std::span<const TokenId> prompt, bool answers) const {
  const auto n_prompt = static_cast<int64_t>(prompt.size());
  if (n_prompt == 0) fail(ErrorCode::kBadInput, "the prompt is empty: at least one token is needed");
  const int64_t vocab_size = runner_.model().config().vocab_size;
  for (const TokenId id : prompt) {
    if (id < 0 || id >= vocab_size) {
      fail(ErrorCode::kBadInput, "token id {} is outside the vocabulary (0 to {})", id, vocab_size - 1);
    }
  }
  if (n_prompt > window_ || (n_prompt == window_ && answers)) {
    fail(ErrorCode::kContextLength, "the prompt has {} token{} and the window is {}: {}", n_prompt,
         n_prompt == 1 ? "" : "s", window_,
         way_out(window_, window_ - 1, runner_.model().config().n_ctx_train));
  }
  const KvCache& cache = runner_.cache();
  for (int g = 0; g < cache.n_groups(); ++g) {
    const int64_t needed = ceil_div(n_prompt + (answers ? 1 : 0), kKvBlock);
    if (cache.window(g) == 0 && needed > cache.pool(g).n_blocks()) {
      fail(ErrorCode::kOutOfMemory, "the prompt has {} tokens and the KV cache has room for {}", n_prompt,
           cache.pool(g).n_blocks() * kKvBlock);
    }
  }
}

Engine::Admitted Engine::add(Request request) {
  const Knobs& knobs = request.knobs;
  const auto n_prompt = static_cast<int64_t>(request.prompt.size());
  const int64_t asked = knobs.integer("max_tokens");
  check_prompt(request.prompt, asked > 0);
  check_min_tokens(knobs, n_prompt, window_);
  Admitted admitted{next_id_++, choose_seed(knobs), asked, sampling::notices(knobs), {}};
  check_logprobs(request, runner_.model().config().vocab_size);
  const int64_t room = window_ - n_prompt;
  if (asked > room) {
    admitted.max_tokens = room;
    if (knobs.is_set("max_tokens")) {
      admitted.notices.push_back(
          fmt::format("max_tokens {} was clamped to {}: the prompt takes {} of the window's {} tokens", asked,
                      room, n_prompt, window_));
    }
  }
  const double time_limit = knobs.number("time_limit");
  const double now = now_();
  const Running::Limits limits{admitted.seed, admitted.max_tokens, asked > room,
                               time_limit > 0 ? now + time_limit : 0};
  // What was read for another request has no logits any more: where they are wanted, all is read again.
  const bool reuses = knobs.integer("prompt_logprobs") < 0;
  if (!reuses) admitted.prefix.outcome = PrefixLookup::Outcome::kNotWanted;
  std::optional<Sequence> prefix = reuses ? prefixes_.find(request.prompt, &admitted.prefix) : std::nullopt;
  auto running =
      std::make_unique<Running>(admitted.id, std::move(request), limits,
                                prefix ? std::move(*prefix) : Sequence(runner_.cache()), runner_.model());
  running->clock.arrived = now;
  outbox_.reserve(outbox_.size() + running_.size() + 1);
  running_.push_back(std::move(running));
  return admitted;
}

void Engine::cancel(RequestId id) {
  for (auto& r : running_) {
    if (r->id == id) r->cancelled = true;
  }
}

// In order of arrival: the last token of each running answer, and of prompts up to the chunk's size over all
// of them.
void Engine::gather(double now) {
  batch_.clear();
  readings_.clear();
  int64_t budget = prefill_chunk_, prompt_rows = kPromptRows;
  for (auto& r : running_) {
    const std::span<const TokenId> pending = r->pending();
    const bool prefilling = r->prefilling(), all_rows = r->wants_prompt_rows();
    const int64_t most = !prefilling ? 1 : all_rows ? std::min(budget, prompt_rows) : budget;
    const auto n = std::min(static_cast<int64_t>(pending.size()), most);
    if (n == 0) continue;
    if (prefilling) budget -= n;
    if (all_rows) prompt_rows -= n;
    const bool last = n == static_cast<int64_t>(pending.size());
    const auto first_row = static_cast<int64_t>(batch_.logit_rows.size());
    batch_.add(r->sequence, pending.first(static_cast<std::size_t>(n)),
               all_rows ? Batch::Logits::kAll
               : last   ? Batch::Logits::kLast
                        : Batch::Logits::kNone);
    readings_.push_back({r.get(), n, first_row, last});
    if (!r->clock.began) r->clock.began = now;
  }
}

bool Engine::step(const std::function<void(const Event&)>& on_event) {
  const FloatEnvironment rounding;
  deliver(on_event);
  end_cancelled_and_late();
  if (running_.empty()) {
    deliver(on_event);
    return false;
  }
  try {
    gather_within_memory(now_());
    const Matrix<const float> logits = runner_.forward(batch_);
    // From here on nothing throws: the pass is in the cache, every request that read something is told so,
    // and what goes wrong with one is that one's.
    for (const Reading& reading : readings_) take(reading, logits);
  } catch (const Error& e) {
    fail_youngest(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    fail_youngest(ErrorCode::kOutOfMemory, kNoMemory);
  }
  remove_finished();
  deliver(on_event);
  return true;
}

void Engine::end_cancelled_and_late() {
  for (auto& r : running_) {
    const bool late = r->late(now_());
    if (!r->cancelled && !late) continue;
    Event event;
    event.request = r->id;
    event.rule = r->cancelled ? StopRule::kNone : StopRule::kTimeLimit;
    finish(*r, event, r->cancelled ? FinishReason::kCancelled : FinishReason::kTime);
    outbox_.push_back(std::move(event));
  }
  remove_finished();
}

void Engine::gather_within_memory(double now) {
  for (;;) {
    try {
      return gather(now);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::kOutOfMemory || !prefixes_.drop_oldest()) throw;
    }
  }
}

void Engine::fail_youngest(ErrorCode code, const char* why) noexcept {
  Running& youngest = *running_.back();
  Event event;
  event.request = youngest.id;
  set_error(event, code, why);
  finish(youngest, event, FinishReason::kError);
  outbox_.push_back(std::move(event));
}

void Engine::deliver(const std::function<void(const Event&)>& on_event) {
  std::size_t n_delivered = 0;
  const auto forget = [&] {
    outbox_.erase(outbox_.begin(), outbox_.begin() + static_cast<std::ptrdiff_t>(n_delivered));
  };
  try {
    while (n_delivered < outbox_.size()) {
      const Event event = std::move(outbox_[n_delivered++]);
      on_event(event);
    }
  } catch (...) {
    forget();
    throw;
  }
  forget();
}

// The per-sequence step: what goes wrong here ends this request alone.
void Engine::take(const Reading& reading, Matrix<const float> logits) noexcept {
  Running& r = *reading.request;
  Event event;
  event.request = r.id;
  std::optional<FinishReason> reason;
  const auto failed = [&](ErrorCode code, const char* why) {
    set_error(event, code, why);
    reason = FinishReason::kError;
  };
  try {
    const int64_t first_pos = r.sequence.length();
    const bool prompt_rows = r.wants_prompt_rows();
    r.count_pass(reading.n_tokens);
    for (int64_t i = 0; prompt_rows && i < reading.n_tokens; ++i)
      r.see_prompt_row(first_pos + i, logits.row_span(reading.first_row + i));
    if (!reading.draws) return;
    reason = r.draw(logits.row_span(reading.first_row + (prompt_rows ? reading.n_tokens - 1 : 0)), event);
  } catch (const Error& e) {
    failed(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    failed(ErrorCode::kOutOfMemory, kNoMemory);
  } catch (const std::exception& e) {
    failed(ErrorCode::kInternal, e.what());
  }
  if (event.token && !r.clock.drew) r.clock.drew = now_();
  if (reason) finish(r, event, *reason);
  outbox_.push_back(std::move(event));
}

// Closes the request. What goes wrong with the last of its text is how it ends, unless it ends by an error
// already.
void Engine::finish(Running& r, Event& event, FinishReason reason) noexcept {
  const auto failed = [&](ErrorCode code, const char* why) {
    if (reason != FinishReason::kError) set_error(event, code, why);
    reason = FinishReason::kError;
  };
  try {
    r.release_text(event, reason);
  } catch (const std::bad_alloc&) {
    failed(ErrorCode::kOutOfMemory, kNoMemory);
  } catch (const std::exception& e) {
    failed(ErrorCode::kInternal, e.what());
  }
  r.close(event, reason, window_);
  event.phases = r.clock.phases(now_());
  try {  // what it read, for prompts that begin alike
    prefixes_.keep(r.take_tokens(), std::move(r.sequence));
  } catch (const std::exception&) {
    // Then the next prompt is read from its beginning: slower, and the same answer.
  }
}

void Engine::remove_finished() noexcept {
  running_.remove_if([](const std::unique_ptr<Running>& r) { return r->finished; });
}

}  // namespace kelda
