// The model and the added tokens of a tokenizer.json: pieces by id, merges, and what is done with them.
#pragma once

#include <vector>

#include "learned/vocabulary.h"
#include "text/added_tokens.h"
#include "text/bpe_model.h"
#include "text/json_view.h"
#include "text/wordpiece_model.h"

namespace kelda::text {

struct JsonModel {
  VocabularyParts parts = {};  // views into the document
  std::vector<AddedToken> added = {};
  bool is_wordpiece = false;
  BpeModel::Options bpe = {};
  WordPieceModel::Options wordpiece = {};
};

// `added_tokens` may be absent (nullptr). Throws kBadInput for ids that are not 0 to n − 1 with each one
// once, for an added token that is empty or whose id is another piece's, and for malformed merges;
// kUnsupported for other models than BPE and WordPiece and for fields of theirs that would mean other ids
// than without them (docs/adr/0012-tokenizers.md says why each is refused). Names the path.
JsonModel read_model(const JsonView& model, const JsonView* added_tokens);

}  // namespace kelda::text
