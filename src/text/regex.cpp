#include "text/regex.h"

#include <cstdint>
#include <new>
#include <string>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/check.h"
#include "base/error.h"
#include "text/unicode_classes.h"

namespace kelda::text {
namespace {

constexpr std::size_t kStackStart = 32 * 1024, kStackMax = 4 * 1024 * 1024;

std::string message(int code) {
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(code, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

}  // namespace

void Regex::Free::operator()(pcre2_code* p) const { pcre2_code_free(p); }
void Regex::Matcher::Free::operator()(pcre2_match_data* p) const { pcre2_match_data_free(p); }
void Regex::Matcher::Free::operator()(pcre2_match_context* p) const { pcre2_match_context_free(p); }
void Regex::Matcher::Free::operator()(pcre2_jit_stack* p) const { pcre2_jit_stack_free(p); }

Regex::Regex(std::string_view pattern) {
  const std::string pinned = pin_classes(pattern);
  int error = 0;
  PCRE2_SIZE offset = 0;
  code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pinned.data()), pinned.size(), PCRE2_UTF, &error,
                            &offset, nullptr));
  if (!code_)
    fail(ErrorCode::kUnsupported, "regular expression {}: {} (at byte {} of its pinned form)", pattern,
         message(error), offset);
  // Where no machine code can be made (a hardened kernel, say) the interpreter gives the same matches,
  // slower.
  pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE);
}

Regex::Matcher::Matcher(const Regex& regex)
    : regex_(&regex),
      data_(pcre2_match_data_create(1, nullptr)),
      context_(pcre2_match_context_create(nullptr)),
      stack_(pcre2_jit_stack_create(kStackStart, kStackMax, nullptr)) {
  if (!data_ || !context_) throw std::bad_alloc();
  if (stack_) pcre2_jit_stack_assign(context_.get(), nullptr, stack_.get());
  // The patterns are ours and linear: no text is too long for them.
  pcre2_set_match_limit(context_.get(), UINT32_MAX);
  pcre2_set_depth_limit(context_.get(), UINT32_MAX);
}

std::optional<Regex::Match> Regex::Matcher::find(std::string_view subject, std::size_t from) {
  const auto match = [&](uint32_t options) {
    return pcre2_match(regex_->code_.get(), reinterpret_cast<PCRE2_SPTR>(subject.data()), subject.size(),
                       from, PCRE2_NO_UTF_CHECK | options, data_.get(), context_.get());
  };
  int found = match(0);
  if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = match(PCRE2_NO_JIT);
  if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (found == PCRE2_ERROR_NOMEMORY) throw std::bad_alloc();
  if (found < 0) fail(ErrorCode::kInternal, "regular expression search failed: {}", message(found));
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data_.get());
  return Match{ends[0], ends[1]};
}

}  // namespace kelda::text
