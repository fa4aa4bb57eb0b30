// The `tokenizer.json` of Hugging Face's tokenizers: vocabulary and rules in one file.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace kelda::text {

// What a model's other files say of its tokens. Pieces are those of the tokenizer, or empty.
struct TokenizerHints {
  std::string bos, eos;                  // where the post-processor names none; put around no text then
  std::vector<TokenId> end_tokens = {};  // that end an answer, besides eos
  int32_t n_tokens = 0;  // rows of the embedding: ids up to there exist, unused; 0 = as many as pieces
};

// The tokenizer that the bytes of such a file describe: the same ids as the package gives. BOS and EOS are
// what its post-processor puts around a text. `truncation` and `padding` are settings of a batch, which a
// caller chooses: they change no id and are only checked to be objects.
//   Throws kBadInput for what is malformed and kUnsupported for what this reader does not implement (never
//   ignored); the message names the JSON path. No recursion on the input; no allocation above 64 times its
//   size.
std::unique_ptr<const Tokenizer> read_tokenizer_json(std::string_view json, const TokenizerHints& hints = {});

}  // namespace kelda::text
