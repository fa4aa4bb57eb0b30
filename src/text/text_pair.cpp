#include "text/text_pair.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/space.h"
#include "base/utf8.h"

namespace kelda::text {
namespace {

TokenId beginning(const Vocabulary& vocabulary) {
  const TokenId id = vocabulary.bos() >= 0 ? vocabulary.bos() : vocabulary.eos();
  if (id >= 0) return id;
  fail(ErrorCode::kBadInput, "the context is empty, and the model has no token that begins a text");
}

}  // namespace

std::size_t blanks_at_end(std::string_view utf8) {
  std::size_t text_end = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const Utf8Sequence s = next_utf8(utf8.substr(at));
    at += s.length;
    if (s.kind != Utf8Sequence::Kind::kCharacter || !is_space(s.code_point)) text_end = at;
  }
  return utf8.size() - text_end;
}

TextPair encode_pair(const Tokenizer& tokenizer, std::string_view context, std::string_view continuation,
                     Special special) {
  const std::string both = std::string(context) + std::string(continuation);
  const Vocabulary& vocabulary = tokenizer.vocabulary();
  const std::size_t split = context.size() - blanks_at_end(context);
  const std::vector<TokenId> first = tokenizer.encode(std::string_view(both).substr(0, split), special);
  const std::vector<TokenId> whole = tokenizer.encode(both, special);
  const auto n = static_cast<std::ptrdiff_t>(std::min(first.size(), whole.size()));
  TextPair pair;
  pair.clean = std::equal(first.begin(), first.end(), whole.begin(), whole.begin() + n);
  pair.continuation.assign(whole.begin() + n, whole.end());
  if (pair.continuation.empty()) {
    fail(ErrorCode::kBadInput, "the continuation has no tokens of its own{}",
         continuation.empty() ? "" : ": its letters become part of the context's last token");
  }
  if (first.empty()) {
    pair.context.push_back(beginning(vocabulary));
  } else if (vocabulary.add_bos() && vocabulary.bos() >= 0 && first.front() != vocabulary.bos()) {
    pair.context.push_back(vocabulary.bos());
  }
  pair.context.insert(pair.context.end(), first.begin(), first.end());
  return pair;
}

}  // namespace kelda::text
