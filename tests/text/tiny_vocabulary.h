// Hand-made vocabularies for the tests: every byte, then what a few merges make, then the tokens that a test
// adds.
#pragma once

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "learned/vocabulary.h"
#include "text/byte_alphabet.h"

namespace kelda::text::testing {

struct TinyVocabulary {
  std::vector<std::string> merges = {"h e", "l l", "he ll", "hell o",
                                     "Ġ Ġ", "a a", "aa aa"};  // results are added
  std::vector<std::pair<std::string, TokenType>> added = {};
  std::vector<int> without_bytes = {};
  std::string pre_tokenizer = "gpt-2";

  Metadata metadata() const {
    std::vector<std::string> pieces;
    std::vector<int32_t> types;
    const auto add = [&](std::string piece, TokenType type) {
      pieces.push_back(std::move(piece));
      types.push_back(static_cast<int32_t>(type));
    };
    for (int b = 0; b < 256; ++b)
      if (std::find(without_bytes.begin(), without_bytes.end(), b) == without_bytes.end())
        add(byte_characters()[static_cast<std::size_t>(b)], TokenType::kNormal);
    for (std::string merge : merges) {
      merge.erase(merge.find(' '), 1);
      if (std::find(pieces.begin(), pieces.end(), merge) == pieces.end()) add(merge, TokenType::kNormal);
    }
    for (const auto& [piece, type] : added) add(piece, type);
    Metadata m;
    m.add("tokenizer.ggml.model", MetadataValue(std::string("gpt2")));
    m.add("tokenizer.ggml.pre", MetadataValue(pre_tokenizer));
    m.add("tokenizer.ggml.tokens", MetadataValue(pieces));
    m.add("tokenizer.ggml.token_type", MetadataValue(types));
    m.add("tokenizer.ggml.merges", MetadataValue(merges));
    return m;
  }
  std::shared_ptr<const Vocabulary> make() const { return std::make_shared<const Vocabulary>(metadata()); }
};

inline std::vector<std::string> pieces_of(const Vocabulary& v, const std::vector<TokenId>& ids) {
  std::vector<std::string> out;
  for (const TokenId id : ids) out.push_back(v.piece(id));
  return out;
}

inline nlohmann::json golden(const std::string& name) {
  std::ifstream in(std::string(KELDA_SOURCE_DIR) + "/tests/golden/" + name);
  return nlohmann::json::parse(in);
}

}  // namespace kelda::text::testing
