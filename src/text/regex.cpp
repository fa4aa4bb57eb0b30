#include "text/regex.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/check.h"
#include "base/error.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "text/unicode_classes.h"

namespace kelda::text {
namespace {

constexpr std::size_t kStackStart = 32 * 1024, kStackMax = 4 * 1024 * 1024;
constexpr std::size_t kLeastSteps = 1'000'000, kStepsPerByte = 16, kMostBytes = UINT32_MAX / 32;
constexpr uint32_t kMaxNesting = 100;

// One for all matchers of a thread: matches do not nest, and a stack is a mapping of 4 MiB.
pcre2_jit_stack* stack_of_thread(void*) {
  thread_local const std::unique_ptr<pcre2_jit_stack, void (*)(pcre2_jit_stack*)> stack(
      pcre2_jit_stack_create(kStackStart, kStackMax, nullptr), pcre2_jit_stack_free);
  return stack.get();
}

std::string message(int code) {
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(code, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

}  // namespace

void Regex::Free::operator()(pcre2_code* p) const { pcre2_code_free(p); }
void Regex::Matcher::Free::operator()(pcre2_match_data* p) const { pcre2_match_data_free(p); }
void Regex::Matcher::Free::operator()(pcre2_match_context* p) const { pcre2_match_context_free(p); }

Regex::Regex(std::string_view pattern) {
  const std::string pinned = pin_classes(pattern);
  const std::unique_ptr<pcre2_compile_context, void (*)(pcre2_compile_context*)> context(
      pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
  if (!context) throw std::bad_alloc();
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_parens_nest_limit(context.get(), kMaxNesting);
  int error = 0;
  PCRE2_SIZE offset = 0;
  code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pinned.data()), pinned.size(),
                            PCRE2_UTF | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error, &offset,
                            context.get()));
  if (!code_)
    fail(ErrorCode::kUnsupported, "regular expression {}: {} (at byte {} of its pinned form)", quote(pattern),
         message(error), offset);
  // Where no machine code can be made (a hardened kernel, say) the interpreter gives the same matches,
  // slower.
  pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE);
}

Regex::Matcher::Matcher(const Regex& regex)
    : regex_(&regex),
      data_(pcre2_match_data_create(1, nullptr)),
      context_(pcre2_match_context_create(nullptr)) {
  if (!data_ || !context_) throw std::bad_alloc();
  pcre2_jit_stack_assign(context_.get(), stack_of_thread, nullptr);
}

std::optional<Regex::Match> Regex::Matcher::find(std::string_view subject, std::size_t from) {
  // Enough for any pattern that looks at each character some times, so that no text is too long; a pattern
  // that tries out ever more ways through the same text runs into it.
  const std::size_t steps = kLeastSteps + kStepsPerByte * std::min(subject.size() - from, kMostBytes);
  pcre2_set_match_limit(context_.get(), static_cast<uint32_t>(steps));
  pcre2_set_depth_limit(context_.get(), static_cast<uint32_t>(steps));
  const auto match = [&](uint32_t options) {
    return pcre2_match(regex_->code_.get(), reinterpret_cast<PCRE2_SPTR>(subject.data()), subject.size(),
                       from, PCRE2_NO_UTF_CHECK | options, data_.get(), context_.get());
  };
  int found = match(0);
  if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = match(PCRE2_NO_JIT);
  if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (found == PCRE2_ERROR_NOMEMORY) throw std::bad_alloc();
  if (found == PCRE2_ERROR_MATCHLIMIT || found == PCRE2_ERROR_DEPTHLIMIT || found == PCRE2_ERROR_HEAPLIMIT)
    fail(ErrorCode::kUnsupported,
         "the tokenizer's regular expression needs more than {} steps at byte {} of a piece of {} bytes",
         steps, from, subject.size());
  if (found < 0) fail(ErrorCode::kInternal, "regular expression search failed: {}", message(found));
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data_.get());
  return Match{ends[0], ends[1]};
}

std::optional<Regex::Match> Regex::Walk::next() {
  while (from_ <= subject_.size()) {
    const auto match = matcher_->find(subject_, from_);
    if (!match) break;
    from_ = match->end;
    if (match->begin == match->end) {
      const bool repeated = match->end == last_end_;
      from_ += match->end < subject_.size() ? next_utf8(subject_.substr(match->end)).length : 1;
      if (repeated) continue;
    }
    last_end_ = match->end;
    return match;
  }
  from_ = subject_.size() + 1;
  return std::nullopt;
}

}  // namespace kelda::text
