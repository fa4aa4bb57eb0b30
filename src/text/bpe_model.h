// Byte-pair encoding of a piece: its bytes or characters as symbols, merged by rank.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/bpe_merges.h"
#include "text/subword_model.h"

namespace kelda::text {

class BpeModel final : public SubwordModel {
 public:
  struct Options {
    bool bytes =
        false;  // symbols are bytes, which the vocabulary writes in the byte alphabet; else characters
    bool ignore_merges = false;  // a piece that is a token is that token
    // Of characters that are no token. With byte_fallback, and if all of its bytes have tokens "<0x..>":
    // those. Else `unknown`, if not −1; several in a row are one with fuse_unknown. Else nothing: the
    // neighbours meet.
    bool byte_fallback = false, fuse_unknown = false;
    TokenId unknown = -1;
  };
  // `merges` in order of rank. Control tokens are never found in a piece.
  BpeModel(std::shared_ptr<const Vocabulary> vocabulary, std::vector<Vocabulary::Merge> merges,
           const Options& options);
  std::unique_ptr<Encoder> encoder() const override;

  // After which characters a text must not be cut before a run of `mark` for its ids to stay: where a merge
  // joins a symbol that ends with one of them to one that begins with the mark. nullopt: no cut is safe.
  std::optional<std::vector<std::string>> joined_before(std::string_view mark) const;

 private:
  class BpeEncoder;
  bool is_text(TokenId id) const;
  void add_or_unknown(TokenId id, std::vector<TokenId>& symbols) const;
  void to_bytes(std::string_view piece, std::vector<TokenId>& symbols) const;
  void to_characters(std::string_view piece, std::vector<TokenId>& symbols) const;

  std::shared_ptr<const Vocabulary> vocabulary_;
  Options options_;
  BpeMerges merges_;
  std::array<TokenId, 256> byte_ids_;     // of the byte alphabet, or "<0x..>"; −1 where there is none
  std::array<TokenId, 128> ascii_ids_{};  // of single characters
};

// The merges that a vocabulary with scores stands for: every way to make a piece of text of two others, best
// score first; of the same score, the longer left part first, then the longer right one. SentencePiece takes
// the leftmost pair among those of one score; the order here is the one in which Hugging Face writes such
// vocabularies as merges.
std::vector<Vocabulary::Merge> merges_of_scores(const Vocabulary& vocabulary);

}  // namespace kelda::text
