// The tokenizer that all kinds are made of: added tokens are cut out, the rest is normalised and cut into
// pieces, each piece goes through a model, and pieces are remembered.
#pragma once

#include "text/bpe_model.h"
#include "text/rules.h"
#include "text/subword_model.h"
#include "text/tokenizer.h"

namespace kelda::text {

class Pipeline final : public Tokenizer {
 public:
  // Throws kUnsupported for a special token that is to be looked for in normalised text and that the
  // normaliser changes.
  Pipeline(std::shared_ptr<const Vocabulary> vocabulary, Rules rules,
           std::unique_ptr<const SubwordModel> model);
  using Tokenizer::encode;
  std::vector<TokenId> encode(std::string_view utf8, std::span<const ByteSpan> special_in) const override;
  std::string bytes(TokenId id, bool show_special) const override;
  std::string first_bytes(TokenId id, bool show_special) const override;

 private:
  class Encoding;
  void check_id(TokenId id) const;
  bool is_hidden(TokenId id, bool show_special) const {
    return !show_special && is_special(vocabulary_->type(id));
  }

  Normalizer normalizer_;
  AddedTokens raw_;         // looked for in the text as it came
  AddedTokens unchanged_;   // then these: the normaliser leaves them alone
  AddedTokens normalized_;  // and these in normalised text
  PreTokenizer cuts_;
  std::unique_ptr<const SubwordModel> model_;
  DecoderRules decoder_;
  std::vector<std::string> bytes_;  // per id, inside a text
};

// A Pipeline around BPE of characters, quicker: where no merge can join what stands before a blank's `mark`
// to it, texts are also cut there, and the words are remembered. `mark` is one character.
std::unique_ptr<const Tokenizer> make_marked_bpe(std::shared_ptr<const Vocabulary> vocabulary, Rules rules,
                                                 std::unique_ptr<const BpeModel> model,
                                                 std::string_view mark);

}  // namespace kelda::text
