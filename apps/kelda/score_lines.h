// The lines that `kelda score` reads: contexts and what follows them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model.h"

namespace kelda::cli {

struct ScoreLine {
  struct Continuation {
    std::vector<TokenId> context, ids;
    uint64_t bytes = 0;  // of its text as it was given
    bool clean = true;   // its first token begins where its text does
  };
  std::size_t number = 0;  // from 1
  nlohmann::json id;       // as given, null where none was
  std::vector<Continuation> continuations;
};

// Each line that is not empty: a JSON object with "context" and "continuation" or "continuations", texts, or
// "context_ids" and "continuation_ids" or "continuations_ids"; and an "id" to be given back. Throws kBadInput
// naming the first line that is not so, kContextLength naming the one that does not fit the window.
std::vector<ScoreLine> read_score_lines(std::string_view text, const Model& model, text::Special special,
                                        int64_t window);

}  // namespace kelda::cli
