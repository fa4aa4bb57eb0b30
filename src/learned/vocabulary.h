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

// What a vocabulary is made of, from whatever file. The texts of merges are views into the source, which must
// outlive the constructor only.
struct VocabularyParts {
  struct Merge {
    std::string_view left, right;
  };
  std::string model = {};          // "gpt2", "llama", "bert": GGUF's names for the kinds
  std::string pre_tokenizer = {};  // "smollm", "qwen2"; empty if the source has no such name
  std::vector<std::string> pieces = {};
  std::vector<TokenType> types = {};  // empty: all kNormal
  std::vector<float> scores = {};     // empty: none
  std::vector<Merge> merges = {};     // in order of rank
  TokenId bos = -1, eos = -1, unknown = -1;
  bool add_bos = false, add_eos = false, add_space_prefix = false, remove_extra_whitespaces = false;
  bool lowercase = true, strip_accents = true;  // "bert" only
  std::vector<TokenId> end_tokens = {};         // besides eos and the well-known markers
  // What errors call the lists.
  std::string_view pieces_name = "pieces", types_name = "types", scores_name = "scores",
                   merges_name = "merges";
};

class Vocabulary {
 public:
  // Reads the tokenizer.ggml.* keys. Throws kBadInput naming the key for lists of contradictory length, ids
  // out of range, unknown token types, duplicate pieces or merges, merges of or into pieces that no token
  // has.
  explicit Vocabulary(const Metadata& metadata);
  // The same checks, with the names that the parts give. bos, eos, unknown and end_tokens must be ids of
  // `pieces` (−1 for none): KELDA_CHECK.
  explicit Vocabulary(VocabularyParts parts);
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
  TokenId bos() const { return bos_; }          // −1 if absent; of a "bert" file the [CLS] token
  TokenId eos() const { return eos_; }          // likewise, [SEP]
  TokenId unknown() const { return unknown_; }  // what stands for text that no piece covers; −1 if absent
  // Whether a prompt begins with bos and ends with eos. Where the file does not say, as its kind of model was
  // trained.
  bool add_bos() const { return add_bos_; }
  bool add_eos() const { return add_eos_; }
  bool add_space_prefix() const { return add_space_prefix_; }
  bool remove_extra_whitespaces() const { return remove_extra_whitespaces_; }
  // Of a "bert" vocabulary: what its text goes through first.
  bool lowercase() const { return lowercase_; }
  bool strip_accents() const { return strip_accents_; }
  // Every id that ends a turn or a text: eos, eot, eom and the well-known end markers among the control and
  // user-defined tokens. Sorted.
  const std::vector<TokenId>& end_tokens() const { return end_tokens_; }
  uint64_t bytes() const;  // of memory, about

 private:
  void set_pieces(VocabularyParts& parts);
  void set_merges(const VocabularyParts& parts);
  void set_special(const VocabularyParts& parts);

  std::vector<std::string> pieces_;
  std::vector<TokenType> types_;
  std::vector<float> scores_;
  std::vector<Merge> merges_;
  std::unordered_map<std::string_view, TokenId> ids_;
  std::string model_, pre_tokenizer_;
  TokenId bos_ = -1, eos_ = -1, unknown_ = -1;
  bool add_bos_ = false, add_eos_ = false, add_space_prefix_ = false, remove_extra_whitespaces_ = false;
  bool lowercase_ = true, strip_accents_ = true;
  std::vector<TokenId> end_tokens_;
};

}  // namespace kelda
