// What must hold for any tokenizer and any bytes. A fuzzer that finds it does not ends with SIGABRT.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace kelda::fuzz {

inline void check(bool fine) {
  if (!fine) std::abort();
}

// The streamed text is the text of all ids at once, and is UTF-8 at every step.
inline void check_stream(const text::Tokenizer& t, const std::vector<TokenId>& ids, bool show_special) {
  const std::string whole = t.decode(ids, show_special);
  check(is_utf8(whole));
  text::Detokenizer stream(t, show_special, text::Detokenizer::Start::kText);
  std::string streamed;
  for (const TokenId id : ids) {
    const std::string part = stream.push(id);
    check(is_utf8(part));
    streamed += part;
  }
  check(streamed + stream.finish() == whole);
}

inline void check_ids(const text::Tokenizer& t, const std::vector<TokenId>& ids) {
  for (const TokenId id : ids) check(id >= 0 && id < t.vocabulary().size());
  check_stream(t, ids, true);
  check_stream(t, ids, false);
}

// `bytes` may be anything; what is not UTF-8 is refused.
inline void check_tokenizer(const text::Tokenizer& t, std::string_view bytes) {
  if (!is_utf8(bytes)) {
    try {
      (void)t.encode(bytes, text::Special::kText);
    } catch (const Error& e) {
      check(e.code() == ErrorCode::kBadInput);
      return;
    }
    check(false);
  }
  const auto parsed = t.encode(bytes, text::Special::kParse);
  const auto plain = t.encode(bytes, text::Special::kText);
  check_ids(t, parsed);
  check_ids(t, plain);
  // No token that steers the model comes from text that may not hold one.
  for (const TokenId id : plain)
    check(t.vocabulary().type(id) != TokenType::kControl || id == t.vocabulary().unknown());
  const std::vector<ByteSpan> part = {{bytes.size() / 3, bytes.size() - bytes.size() / 3}};
  check_ids(t, t.encode(bytes, bytes.empty() ? std::span<const ByteSpan>() : part));
  const auto prompt = t.encode_prompt(bytes, text::Special::kParse);
  check(prompt.ids.size() >= parsed.size() && prompt.ids.size() <= parsed.size() + 2);
}

}  // namespace kelda::fuzz
