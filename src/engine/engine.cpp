#include "engine/engine.h"

#include <algorithm>
#include <new>
#include <random>
#include <utility>

#include "base/checked.h"
#include "base/cpu.h"
#include "base/error.h"
#include "sampling/chain.h"
#include "sampling/request_knobs.h"
#include "text/detokenizer.h"

namespace kelda {
namespace {

// The request's seed, or one drawn now; told in Admitted, so that the answer can be had again.
uint64_t choose_seed(const Knobs& knobs) {
  if (const auto asked = knobs.seed("seed").value) return *asked;
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

// What samplers may ask of the vocabulary, which outlives them.
sampling::TokenText token_text(const text::Tokenizer& tokenizer) {
  return {[&tokenizer](TokenId id) {
            const bool known = id >= 0 && static_cast<int64_t>(id) < tokenizer.vocabulary().size();
            return known ? tokenizer.bytes(id, false)
                         : std::string();  // there may be more logits than tokens
          },
          [&tokenizer](std::string_view of) { return tokenizer.encode(of, text::Special::kText); }};
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

}  // namespace

std::string_view name(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kCancelled:
      return "cancelled";
    case FinishReason::kError:
      break;
  }
  return "error";
}

// STATE of one request.
struct Engine::Running {
  Running(RequestId request_id, Request request, Sequence prefix, const Model& model)
      : id(request_id),
        prompt(std::move(request.prompt)),
        chain(request.knobs, static_cast<std::size_t>(model.config().vocab_size),
              token_text(model.tokenizer())),
        want_logprobs(request.logprobs),
        ignore_eos(request.knobs.boolean("ignore_eos")),
        text(model.tokenizer(), false, text::Detokenizer::Start::kContinuation),
        stop_strings(request.knobs.texts("stop")),
        stops(stop_strings),
        sequence(std::move(prefix)),
        n_cached(sequence.length()) {}

  // The tokens that the next pass should read: what of the prompt is left, or the last one drawn.
  std::span<const TokenId> pending() const {
    const auto done = static_cast<std::size_t>(sequence.length());
    if (done < prompt.size()) return std::span(prompt).subspan(done);
    return std::span(generated).subspan(done - prompt.size());
  }

  RequestId id;
  std::vector<TokenId> prompt, generated;
  sampling::Chain chain;
  bool want_logprobs, ignore_eos;
  text::Detokenizer text;
  std::vector<std::string> stop_strings;
  text::StopMatcher stops;
  Sequence sequence;
  int64_t n_cached;  // tokens of the prompt that need not be read
  uint64_t seed = 0;
  int64_t max_tokens = 0;
  int64_t passes = 0;
  bool cancelled = false, finished = false;
};

Engine::Engine(Runner& runner, const Options& options)
    : runner_(runner),
      window_(runner.window()),
      prefill_chunk_(options.prefill_chunk),
      prefixes_(options.kept_sequences) {
  if (prefill_chunk_ < 1)
    fail(ErrorCode::kUsage, "prefill_chunk is {}; at least 1 is needed", prefill_chunk_);
}

Engine::~Engine() = default;

Engine::Admitted Engine::add(Request request) {
  const auto n_prompt = static_cast<int64_t>(request.prompt.size());
  if (n_prompt == 0) fail(ErrorCode::kBadInput, "the prompt is empty: at least one token is needed");
  const int64_t vocab_size = runner_.model().config().vocab_size;
  for (const TokenId id : request.prompt) {
    if (id < 0 || id >= vocab_size) {
      fail(ErrorCode::kBadInput, "token id {} is outside the vocabulary (0 to {})", id, vocab_size - 1);
    }
  }
  const int64_t asked = request.knobs.integer("max_tokens");
  if (n_prompt > window_ || (n_prompt == window_ && asked > 0)) {
    fail(ErrorCode::kContextLength, "the prompt has {} token{} and the window is {}: {}", n_prompt,
         n_prompt == 1 ? "" : "s", window_,
         way_out(window_, window_ - 1, runner_.model().config().n_ctx_train));
  }
  const KvCache& cache = runner_.cache();
  for (int g = 0; g < cache.n_groups(); ++g) {
    const int64_t needed = ceil_div(n_prompt + (asked > 0 ? 1 : 0), kKvBlock);
    if (cache.window(g) == 0 && needed > cache.pool(g).n_blocks()) {
      fail(ErrorCode::kOutOfMemory, "the prompt has {} tokens and the KV cache has room for {}", n_prompt,
           cache.pool(g).n_blocks() * kKvBlock);
    }
  }
  Admitted admitted{next_id_++, 0, asked, sampling::notices(request.knobs)};
  const int64_t room = window_ - n_prompt;
  if (asked > room) {
    admitted.max_tokens = room;
    if (request.knobs.is_set("max_tokens")) {
      admitted.notices.push_back(
          fmt::format("max_tokens {} was clamped to {}: the prompt takes {} of the window's {} tokens", asked,
                      room, n_prompt, window_));
    }
  }
  admitted.seed = choose_seed(request.knobs);
  std::optional<Sequence> prefix = prefixes_.find(request.prompt);
  auto running =
      std::make_unique<Running>(admitted.id, std::move(request),
                                prefix ? std::move(*prefix) : Sequence(runner_.cache()), runner_.model());
  running->seed = admitted.seed;
  running->max_tokens = admitted.max_tokens;
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
void Engine::gather() {
  batch_.clear();
  drawing_.clear();
  int64_t budget = prefill_chunk_;
  for (auto& r : running_) {
    const std::span<const TokenId> pending = r->pending();
    const bool prefilling = r->generated.empty();
    if (prefilling && budget == 0) continue;
    const auto n = prefilling ? std::min(static_cast<int64_t>(pending.size()), budget) : 1;
    if (prefilling) budget -= n;
    const bool last = n == static_cast<int64_t>(pending.size());
    batch_.add(r->sequence, pending.first(static_cast<std::size_t>(n)),
               last ? Batch::Logits::kLast : Batch::Logits::kNone);
    if (last) drawing_.push_back(r.get());
  }
}

bool Engine::step(const std::function<void(const Event&)>& on_event) {
  const FloatEnvironment rounding;
  deliver(on_event);
  for (auto& r : running_) {
    if (!r->cancelled) continue;
    Event event;
    event.request = r->id;
    finish(*r, event, FinishReason::kCancelled);
    outbox_.push_back(std::move(event));
  }
  remove_finished();
  if (running_.empty()) {
    deliver(on_event);
    return false;
  }
  try {
    gather_within_memory();
    const Matrix<const float> logits = runner_.forward(batch_);
    // From here on nothing throws: the pass is in the cache, every request that read something is told so,
    // and what goes wrong with one is that one's.
    for (const BatchRun& run : batch_.runs) {
      const auto r = std::find_if(running_.begin(), running_.end(),
                                  [&](const auto& x) { return &x->sequence == run.sequence; });
      (*r)->sequence.advance(run.n_tokens);
      ++(*r)->passes;
    }
    for (std::size_t i = 0; i < drawing_.size(); ++i)
      draw(*drawing_[i], logits.row_span(static_cast<int64_t>(i)));
  } catch (const Error& e) {
    fail_youngest(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    fail_youngest(ErrorCode::kOutOfMemory, kNoMemory);
  }
  remove_finished();
  deliver(on_event);
  return true;
}

void Engine::gather_within_memory() {
  for (;;) {
    try {
      return gather();
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
void Engine::draw(Running& r, std::span<const float> logits) noexcept {
  Event event;
  event.request = r.id;
  if (r.max_tokens == 0) {  // the prompt was only to be read
    finish(r, event, FinishReason::kLength);
    outbox_.push_back(std::move(event));
    return;
  }
  try {
    const auto position = static_cast<uint32_t>(r.prompt.size() + r.generated.size());
    const sampling::Draw drawn = r.chain.draw(logits, {r.prompt, r.generated}, {r.seed, 0, position});
    r.generated.push_back(drawn.id);
    event.token = drawn.id;
    if (r.want_logprobs) event.logprob = sampling::logprob(logits, drawn.id);
    const auto& ends = runner_.model().vocabulary().end_tokens();
    if (!r.ignore_eos && std::binary_search(ends.begin(), ends.end(), drawn.id)) {
      event.stop = runner_.model().vocabulary().piece(drawn.id);
      finish(r, event, FinishReason::kStop);
    } else {
      event.text = r.stops.push(r.text.push(drawn.id));
      if (r.stops.matched() >= 0) {
        event.stop = r.stop_strings[static_cast<std::size_t>(r.stops.matched())];
        finish(r, event, FinishReason::kStop);
      } else if (static_cast<int64_t>(r.generated.size()) >= r.max_tokens) {
        finish(r, event, FinishReason::kLength);
      }
    }
  } catch (const Error& e) {
    set_error(event, e.code(), e.what());
    finish(r, event, FinishReason::kError);
  } catch (const std::bad_alloc&) {
    set_error(event, ErrorCode::kOutOfMemory, kNoMemory);
    finish(r, event, FinishReason::kError);
  } catch (const std::exception& e) {
    set_error(event, ErrorCode::kInternal, e.what());
    finish(r, event, FinishReason::kError);
  }
  outbox_.push_back(std::move(event));
}

// Lets out the text that was held back.
void Engine::release_text(Running& r, Event& event, FinishReason& reason) {
  if (r.stops.matched() < 0) {
    event.text += r.stops.push(r.text.finish());
    event.text += r.stops.finish();
    // What was held back may hold a whole stop string, which had waited for an earlier one to come true.
    if (r.stops.matched() >= 0 && reason == FinishReason::kLength) {
      reason = FinishReason::kStop;
      event.stop = r.stop_strings[static_cast<std::size_t>(r.stops.matched())];
    }
  }
}

// What it read, for prompts that begin alike.
void Engine::keep_prefix(Running& r) {
  std::vector<TokenId> tokens = std::move(r.prompt);
  tokens.insert(tokens.end(), r.generated.begin(), r.generated.end());
  prefixes_.keep(std::move(tokens), std::move(r.sequence));
}

// Closes the request. What goes wrong with the last of its text is how it ends, unless it ends by an error
// already.
void Engine::finish(Running& r, Event& event, FinishReason reason) noexcept {
  const auto failed = [&](ErrorCode code, const char* why) {
    if (reason != FinishReason::kError) set_error(event, code, why);
    reason = FinishReason::kError;
  };
  try {
    release_text(r, event, reason);
  } catch (const std::bad_alloc&) {
    failed(ErrorCode::kOutOfMemory, kNoMemory);
  } catch (const std::exception& e) {
    failed(ErrorCode::kInternal, e.what());
  }
  event.finish = reason;
  event.usage = {static_cast<int64_t>(r.prompt.size()), static_cast<int64_t>(r.generated.size()), r.passes};
  event.context = {window_, static_cast<int64_t>(r.prompt.size()), 0, r.n_cached,
                   window_ - static_cast<int64_t>(r.prompt.size() + r.generated.size())};
  r.finished = true;
  try {
    keep_prefix(r);
  } catch (const std::exception&) {
    // Then the next prompt is read from its beginning: slower, and the same answer.
  }
}

void Engine::remove_finished() noexcept {
  running_.remove_if([](const std::unique_ptr<Running>& r) { return r->finished; });
}

}  // namespace kelda
