// Text to ids and back, as the model was trained. One kind of tokenizer is one file in text/tokenizers.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "learned/vocabulary.h"

namespace kelda::text {

enum class Special { kText, kParse };  // how "<|im_end|>" written in the text is taken

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  // Ids of valid UTF-8 text, without BOS or EOS. Time is about linear in the text (n log n in its longest
  // word). Thread-safe. Throws kBadInput with the byte offset for invalid UTF-8. User-defined tokens are text
  // and always found; control tokens come out with Special::kParse only.
  virtual std::vector<TokenId> encode(std::string_view utf8, Special special) const = 0;
  // The bytes a token stands for; empty for control tokens unless `show_special`. Bytes, not characters: a
  // character may need several tokens (text/detokenizer.h holds halves back). Throws kBadInput for an id
  // outside the vocabulary.
  virtual std::string bytes(TokenId id, bool show_special) const = 0;

  // encode() with BOS and EOS where the model's file asks for them.
  std::vector<TokenId> encode_prompt(std::string_view utf8, Special special) const;
  // The ids' text, always valid UTF-8: what Utf8Stream makes of their bytes.
  std::string decode(std::span<const TokenId> ids, bool show_special) const;
  const Vocabulary& vocabulary() const { return *vocabulary_; }

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
