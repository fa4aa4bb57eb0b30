// What must hold for any tokenizer and any bytes.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/utf8.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace kelda::fuzz {

// The streamed text is the text of all ids at once, and is UTF-8 at every step.
inline void check_stream(const text::Tokenizer& t, const std::vector<TokenId>& ids, bool show_special) {
  const std::string whole = t.decode(ids, show_special);
  KELDA_CHECK(is_utf8(whole));
  text::Detokenizer stream(t, show_special, text::Detokenizer::Start::kText);
  std::string streamed;
  for (const TokenId id : ids) {
    const std::string part = stream.push(id);
    KELDA_CHECK(is_utf8(part));
    streamed += part;
  }
  KELDA_CHECK(streamed + stream.finish() == whole);
}

inline void check_ids(const text::Tokenizer& t, const std::vector<TokenId>& ids) {
  for (const TokenId id : ids) KELDA_CHECK(id >= 0 && id < t.vocabulary().size());
  check_stream(t, ids, true);
  check_stream(t, ids, false);
}

// `bytes` may be anything; what is not UTF-8 is refused.
inline void check_tokenizer(const text::Tokenizer& t, std::string_view bytes) {
  if (!is_utf8(bytes)) {
    try {
      (void)t.encode(bytes, text::Special::kText);
    } catch (const Error& e) {
      KELDA_CHECK(e.code() == ErrorCode::kBadInput);
      return;
    }
    KELDA_CHECK(false);
  }
  const auto parsed = t.encode(bytes, text::Special::kParse);
  const auto plain = t.encode(bytes, text::Special::kText);
  check_ids(t, parsed);
  check_ids(t, plain);
  // No token that steers the model comes from text that may not hold one.
  for (const TokenId id : plain)
    KELDA_CHECK(t.vocabulary().type(id) != TokenType::kControl || id == t.vocabulary().unknown());
  const std::vector<ByteSpan> part = {{bytes.size() / 3, bytes.size() - bytes.size() / 3}};
  check_ids(t, t.encode(bytes, bytes.empty() ? std::span<const ByteSpan>() : part));
  const auto prompt = t.encode_prompt(bytes, text::Special::kParse);
  KELDA_CHECK(prompt.ids.size() >= parsed.size() && prompt.ids.size() <= parsed.size() + 2);
}

}  // namespace kelda::fuzz
