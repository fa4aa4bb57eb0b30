// The ways to prepare text for byte-level BPE that GGUF knows by name; each name is a row here.
#pragma once

#include <span>
#include <string_view>

namespace kelda::text {

// Each expression cuts what the one before left: its matches and the gaps between them are the new pieces,
// and it sees a piece as if nothing were around it. All are linear on any text.
struct PreTokenizerRow {
  std::string_view name;  // GGUF's tokenizer.ggml.pre
  std::span<const std::string_view> expressions;
  bool nfc = false;                 // Unicode's normal form C first
  bool ignore_merges = false;       // a piece that is a token is that token
  bool mapped_before_last = false;  // the last two expressions see bytes as characters of the byte alphabet
};
std::span<const PreTokenizerRow> pre_tokenizer_rows();

// Throws kUnsupported naming the known ones.
const PreTokenizerRow& pre_tokenizer_row(std::string_view name);

// The expression of GPT-2, which the byte-level pre-tokenizer of Hugging Face uses by itself.
extern const std::string_view kGpt2Expression;

}  // namespace kelda::text
