#include "engine/running.h"

#include <new>
#include <utility>

#include "base/sha256.h"
#include "engine/repetition.h"
#include "engine/runner.h"

namespace kelda {
namespace {

// What samplers may ask of the vocabulary, which outlives them.
sampling::TokenText token_text(const text::Tokenizer& tokenizer) {
  return {[&tokenizer](TokenId id) {
            const bool known = id >= 0 && static_cast<int64_t>(id) < tokenizer.vocabulary().size();
            return known ? tokenizer.bytes(id, false)
                         : std::string();  // there may be more logits than tokens
          },
          [&tokenizer](std::string_view of) { return tokenizer.encode(of, text::Special::kText); }};
}

}  // namespace

Running::Running(RequestId request_id, Request request, const Limits& limits, Sequence prefix,
                 const Model& model)
    : id(request_id),
      sequence(std::move(prefix)),
      prompt_(std::move(request.prompt)),
      limits_(limits),
      logprobs_(request.knobs.integer("logprobs")),
      prompt_logprobs_(request.knobs.integer("prompt_logprobs")),
      processed_(request.knobs.boolean("processed_logprobs")),
      chain_(request.knobs, static_cast<std::size_t>(model.config().vocab_size),
             token_text(model.tokenizer())),
      text_(model.tokenizer(), false, text::Detokenizer::Start::kContinuation),
      stops_(request.knobs, model.vocabulary(), model.config().vocab_size),
      n_cached_(sequence.length()) {
  if (request.explain < 0) return;
  recorder_.emplace(static_cast<std::size_t>(request.explain));
  chain_.observe(&*recorder_);
}

PhaseTimes Running::Clock::phases(double end) const {
  const double first_read = began.value_or(end), first_drawn = drew.value_or(end);
  return {first_read - arrived, first_drawn - first_read, end - first_drawn};
}

std::span<const TokenId> Running::pending() const {
  const auto done = static_cast<std::size_t>(sequence.length());
  if (done < prompt_.size()) return std::span(prompt_).subspan(done);
  return std::span(generated_).subspan(done - prompt_.size());
}

void Running::count_pass(int64_t n) {
  sequence.advance(n);
  ++usage_.passes;
  if (prefilling()) ++usage_.prefill_passes;
}

void Running::see_prompt_row(int64_t position, std::span<const float> logits) {
  const auto next = static_cast<std::size_t>(position) + 1;
  if (next >= prompt_.size()) return;
  require_a_number(logits, position);
  prompt_reports_.push_back(raw_report(logits, prompt_[next], static_cast<std::size_t>(prompt_logprobs_)));
}

std::optional<FinishReason> Running::stop_by(const StopRules::Stop& stop, Event& event) const {
  event.rule = stop.rule;
  event.stop = stop.text;
  return FinishReason::kStop;
}

std::optional<FinishReason> Running::draw(std::span<const float> logits, Event& event) {
  const auto length = [&] {
    event.rule = limits_.by_window ? StopRule::kWindow : StopRule::kMaxTokens;
    return FinishReason::kLength;
  };
  event.prompt_logprobs = std::exchange(prompt_reports_, {});
  if (limits_.max_tokens == 0) return length();  // the prompt was only to be read
  require_a_number(logits, static_cast<int64_t>(prompt_.size() + generated_.size()) - 1);
  const auto n = static_cast<int64_t>(generated_.size());
  const auto position = static_cast<uint32_t>(prompt_.size() + generated_.size());
  if (recorder_) recorder_->begin(logits);
  const sampling::Draw drawn =
      chain_.draw(stops_.drawable(logits, n), {prompt_, generated_}, {limits_.seed, 0, position});
  if (recorder_) event.draw = DrawReport{sha256_hex(std::as_bytes(logits)), recorder_->take()};
  generated_.push_back(drawn.id);
  event.token = drawn.id;
  if (logprobs_ >= 0) {
    const auto n_top = static_cast<std::size_t>(logprobs_);
    event.logprobs = raw_report(logits, drawn.id, n_top);
    if (processed_) event.logprobs->processed = processed_report(chain_, drawn.id, n_top);
  }
  if (const auto stop = stops_.token_stop(drawn.id)) return stop_by(*stop, event);
  event.text = stops_.push(text_.push(drawn.id), n);
  if (const auto stop = stops_.text_stop()) return stop_by(*stop, event);
  if (n + 1 >= limits_.max_tokens) return length();
  return std::nullopt;
}

void Running::release_text(Event& event, FinishReason& reason) {
  if (stops_.text_stop()) return;
  event.text += stops_.push(text_.finish(), static_cast<int64_t>(generated_.size()) - 1);
  event.text += stops_.finish();
  const auto stop = stops_.text_stop();
  if (stop && (reason == FinishReason::kLength || reason == FinishReason::kTime))
    reason = *stop_by(*stop, event);
}

void Running::close(Event& event, FinishReason reason, int64_t window) noexcept {
  if (!prompt_reports_.empty()) event.prompt_logprobs = std::exchange(prompt_reports_, {});
  const auto n_prompt = static_cast<int64_t>(prompt_.size());
  const auto n_generated = static_cast<int64_t>(generated_.size());
  usage_.prompt_tokens = n_prompt;
  usage_.completion_tokens = n_generated;
  event.finish = reason;
  if (reason == FinishReason::kError) event.rule = StopRule::kNone;
  event.usage = usage_;
  event.context = {.window = window,
                   .prompt_given = n_prompt,
                   .prompt_kept = n_prompt,
                   .prompt_cached = n_cached_,
                   .left = window - n_prompt - n_generated};
  try {
    // An answer that ended by itself is none that went round in circles.
    const auto loop = reason == FinishReason::kStop ? std::nullopt : find_loop(generated_);
    if (loop) event.notices.push_back(loop_notice(*loop));
  } catch (const std::bad_alloc&) {
    // Then it is not told: the answer itself is whole.
  }
  finished = true;
}

std::vector<TokenId> Running::take_tokens() {
  std::vector<TokenId> tokens = std::move(prompt_);
  tokens.insert(tokens.end(), generated_.begin(), generated_.end());
  return tokens;
}

}  // namespace kelda
