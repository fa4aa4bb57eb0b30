// Text to ids and back, as the model was trained. One kind of tokenizer is one file in text/tokenizers.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_span.h"
#include "base/thread_pool.h"
#include "learned/vocabulary.h"

namespace kelda::text {

enum class Special { kText, kParse };  // how "<|im_end|>" written in the text is taken

// The ids that a model reads. Where the text itself begins with BOS (a chat template may write it), the
// file's wish for one is already met and none is put before it; likewise EOS at the end. The flags tell.
struct EncodedPrompt {
  std::vector<TokenId> ids;
  bool text_began_with_bos = false;
  bool text_ended_with_eos = false;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // Ids of valid UTF-8 text, without BOS or EOS. A control token written in the text is found only where all
  // of its bytes lie in one of the spans `special_in` (sorted, disjoint, within the text); elsewhere its
  // letters are plain text. All else is as if there were no spans: the text is read as a whole, and
  // user-defined tokens are always found. Time is about linear (n log n in the longest word). Thread-safe.
  // Throws kBadInput with the byte offset for invalid UTF-8.
  virtual std::vector<TokenId> encode(std::string_view utf8, std::span<const ByteSpan> special_in) const = 0;
  // The same with no span (kText) or one over everything (kParse).
  std::vector<TokenId> encode(std::string_view utf8, Special special) const;

  // encode() with BOS and EOS where the model's file asks for them and the text does not have them already.
  EncodedPrompt encode_prompt(std::string_view utf8, std::span<const ByteSpan> special_in) const;
  EncodedPrompt encode_prompt(std::string_view utf8, Special special) const;
  // encode() of many documents on all threads of `pool`: the same ids, in the same order. Throws what the
  // first of the faulty documents would throw, its number before the message.
  std::vector<std::vector<TokenId>> encode_all(std::span<const std::string_view> documents, Special special,
                                               ThreadPool& pool) const;

  // The bytes that a token stands for inside a text; empty for control tokens unless `show_special`. Bytes,
  // not characters: a character may need several tokens. text/detokenizer.h makes text of a row of them.
  // Throws kBadInput for an id outside the vocabulary.
  virtual std::string bytes(TokenId id, bool show_special) const = 0;
  // The same where nothing of the text was shown before: some kinds of tokenizer drop a blank there.
  virtual std::string first_bytes(TokenId id, bool show_special) const = 0;

  // The ids' text from its beginning, always valid UTF-8: what a Detokenizer makes of them.
  std::string decode(std::span<const TokenId> ids, bool show_special) const;
  const Vocabulary& vocabulary() const { return *vocabulary_; }
  std::shared_ptr<const Vocabulary> shared_vocabulary() const { return vocabulary_; }

 protected:
  explicit Tokenizer(std::shared_ptr<const Vocabulary> v) : vocabulary_(std::move(v)) {}
  std::shared_ptr<const Vocabulary> vocabulary_;
};

struct TokenizerKind {
  std::string_view name;   // "byte_bpe"
  std::string_view model;  // GGUF's tokenizer.ggml.model: "gpt2"
  // Throws kUnsupported naming the known pre-tokenizers for one that is not known.
  std::unique_ptr<const Tokenizer> (*make)(std::shared_ptr<const Vocabulary>);
};
std::span<const TokenizerKind* const> tokenizer_kinds();

// The tokenizer that the vocabulary's model names. Throws kUnsupported naming the known ones.
std::unique_ptr<const Tokenizer> make_tokenizer(std::shared_ptr<const Vocabulary>);

}  // namespace kelda::text
