#include "text/tokenizer.h"

#include <fmt/ranges.h>

#include <exception>
#include <mutex>

#include "base/error.h"
#include "base/quote.h"
#include "text/detokenizer.h"

namespace kelda::text {

namespace {

// The spans that `special` stands for: none, or `everything`.
std::span<const ByteSpan> spans_of(Special special, const ByteSpan& everything) {
  return {&everything, special == Special::kParse ? std::size_t{1} : 0};
}

}  // namespace

std::vector<TokenId> Tokenizer::encode(std::string_view utf8, Special special) const {
  const ByteSpan everything{0, utf8.size()};
  return encode(utf8, spans_of(special, everything));
}

EncodedPrompt Tokenizer::encode_prompt(std::string_view utf8, Special special) const {
  const ByteSpan everything{0, utf8.size()};
  return encode_prompt(utf8, spans_of(special, everything));
}

EncodedPrompt Tokenizer::encode_prompt(std::string_view utf8, std::span<const ByteSpan> special_in) const {
  const Vocabulary& v = *vocabulary_;
  const std::vector<TokenId> text = encode(utf8, special_in);
  EncodedPrompt prompt;
  prompt.text_began_with_bos = !text.empty() && text.front() == v.bos();
  prompt.text_ended_with_eos = !text.empty() && text.back() == v.eos();
  prompt.ids.reserve(text.size() + 2);
  if (v.add_bos() && !prompt.text_began_with_bos) prompt.ids.push_back(v.bos());
  prompt.ids.insert(prompt.ids.end(), text.begin(), text.end());
  if (v.add_eos() && !prompt.text_ended_with_eos) prompt.ids.push_back(v.eos());
  return prompt;
}

std::vector<std::vector<TokenId>> Tokenizer::encode_all(std::span<const std::string_view> documents,
                                                        Special special, ThreadPool& pool) const {
  std::vector<std::vector<TokenId>> ids;
  ids.resize(documents.size());
  std::mutex mutex;
  std::size_t faulty = documents.size();  // the first document that threw, and what
  std::exception_ptr error;
  pool.run(static_cast<int64_t>(documents.size()), [&](int64_t item, int) {
    const auto i = static_cast<std::size_t>(item);
    try {
      ids[i] = encode(documents[i], special);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (i < faulty) {
        faulty = i;
        error = std::current_exception();
      }
    }
  });
  if (!error) return ids;
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    fail(e.code(), "document {}: {}", faulty, e.what());
  }
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool show_special) const {
  std::string text;
  Detokenizer stream(*this, show_special, Detokenizer::Start::kText);
  for (const TokenId id : ids) text += stream.push(id);
  return text + stream.finish();
}

std::unique_ptr<const Tokenizer> make_tokenizer(std::shared_ptr<const Vocabulary> vocabulary) {
  std::vector<std::string_view> known;
  for (const TokenizerKind* kind : tokenizer_kinds()) {
    if (kind->model == vocabulary->model()) return kind->make(std::move(vocabulary));
    known.push_back(kind->model);
  }
  fail(ErrorCode::kUnsupported, "tokenizer.ggml.model: no tokenizer {}; known: {}",
       quote(vocabulary->model()), fmt::join(known, ", "));
}

}  // namespace kelda::text
