// The model's pieces of text and what each id means. LEARNED (the merges came from a corpus), immutable,
// shared.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/metadata.h"

namespace kelda {

using TokenId = int32_t;

enum class TokenType : uint8_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6
};

class Vocabulary {
 public:
  // Reads the tokenizer.ggml.* keys. Throws kBadInput naming the key for lists of contradictory length, ids
  // out of range, unknown token types, duplicate pieces or merges, merges of or into pieces that no token
  // has.
  explicit Vocabulary(const Metadata& metadata);
  Vocabulary(Vocabulary&&) = default;  // a copy's index would point into the original
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  int32_t size() const { return static_cast<int32_t>(pieces_.size()); }
  const std::string& piece(TokenId id) const {
    return pieces_[static_cast<std::size_t>(id)];
  }  // as stored: "Ġthe"
  TokenType type(TokenId id) const { return types_[static_cast<std::size_t>(id)]; }
  // −1 if no token has this piece.
  TokenId find(std::string_view piece) const;

  // Merges in order of rank: two neighbouring tokens and the one that they become.
  struct Merge {
    TokenId left, right, result;
  };
  const std::vector<Merge>& merges() const { return merges_; }
  const std::vector<float>& scores() const { return scores_; }  // empty if the file has none

  const std::string& model() const { return model_; }                  // "gpt2", "llama", "bert"
  const std::string& pre_tokenizer() const { return pre_tokenizer_; }  // "smollm", "qwen2"; empty if absent
  TokenId bos() const { return bos_; }  // −1 if absent; of a "bert" file the [CLS] token
  TokenId eos() const { return eos_; }  // likewise, [SEP]
  // Whether a prompt begins with bos and ends with eos. Where the file does not say, as its kind of model was
  // trained.
  bool add_bos() const { return add_bos_; }
  bool add_eos() const { return add_eos_; }
  bool add_space_prefix() const { return add_space_prefix_; }
  // Every id that ends a turn or a text: eos, eot, eom and the well-known end markers among the control
  // tokens. Sorted.
  const std::vector<TokenId>& end_tokens() const { return end_tokens_; }
  uint64_t bytes() const;  // of memory, about

 private:
  void read_pieces(const Metadata& metadata);
  void read_merges(const Metadata& metadata);
  void read_special(const Metadata& metadata);
  TokenId read_id(const Metadata& metadata, std::string_view key) const;

  std::vector<std::string> pieces_;
  std::vector<TokenType> types_;
  std::vector<float> scores_;
  std::vector<Merge> merges_;
  std::unordered_map<std::string_view, TokenId> ids_;
  std::string model_, pre_tokenizer_;
  TokenId bos_ = -1, eos_ = -1;
  bool add_bos_ = false, add_eos_ = false, add_space_prefix_ = false;
  std::vector<TokenId> end_tokens_;
};

}  // namespace kelda
