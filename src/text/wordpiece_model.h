// WordPiece: a word is the longest piece that it begins with, then the longest that goes on, to its end; a
// word for which that fails is unknown as a whole.
//   Source: Devlin et al. 2018 (arXiv 1810.04805), released with the model's code.
#pragma once

#include "text/byte_trie.h"
#include "text/subword_model.h"

namespace kelda::text {

class WordPieceModel final : public SubwordModel {
 public:
  struct Options {
    std::string mark;  // what some pieces are written with: "##" or "▁"
    bool mark_begins;  // the mark is on pieces that begin a word ("▁"), else on those that go on ("##")
    TokenId unknown;   // a word that no pieces make up
    int64_t max_characters;  // a longer word is unknown
  };
  WordPieceModel(const Vocabulary& vocabulary, const Options& options);
  std::unique_ptr<Encoder> encoder() const override;

 private:
  class WordEncoder;
  ByteTrie begin_, go_on_;  // a value is an id
  TokenId unknown_;
  int64_t max_characters_;
};

}  // namespace kelda::text
